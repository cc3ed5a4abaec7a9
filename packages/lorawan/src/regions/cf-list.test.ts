import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cFListFor, channelsAfterJoin } from './cf-list.ts';
import { channelIndexOf, uplinkChannels } from './channels.ts';
import { highestADRDataRate, modulationOf } from './data-rates.ts';
import { region } from './registry.ts';

const eu868 = region('EU868');
const us915 = region('US915');

describe('cFListFor', () => {
  it('lists extra channels at the indexes that the device gives them', () => {
    const extraChannels = [
      { index: 3, frequency: 867_100_000, minDR: 0, maxDR: 5 },
      { index: 4, frequency: 868_300_000, minDR: 6, maxDR: 6 },
      { index: 5, frequency: 867_500_000, minDR: 0, maxDR: 5 },
      { index: 9, frequency: 867_900_000, minDR: 0, maxDR: 5 },
    ];
    const cFList = cFListFor(eu868, { macVersion: '1.0.3', extraChannels, enabledChannels: [0, 1, 2] });
    assert.deepEqual(cFList, { type: 0, frequencies: [867_100_000, 0, 867_500_000, 0, 0] });
    assert.deepEqual(channelsAfterJoin(eu868, cFList), {
      extraChannels: [extraChannels[0], extraChannels[2]],
      enabledChannels: [0, 1, 2, 3, 5],
    });
  });

  it('is null when it would be empty', () => {
    assert.equal(cFListFor(eu868, { macVersion: '1.0.3', extraChannels: [], enabledChannels: [0, 1, 2] }), null);
    const all = channelsAfterJoin(us915, null).enabledChannels;
    assert.equal(all.length, 72);
    assert.equal(cFListFor(us915, { macVersion: '1.0.3', extraChannels: [], enabledChannels: all }), null);
  });

  it('contains masks in fixed plans for devices that support it', () => {
    const enabledChannels = [8, 9, 10, 11, 12, 13, 14, 15, 65];
    const cFList = cFListFor(us915, { macVersion: '1.0.4', extraChannels: [], enabledChannels });
    assert.deepEqual(channelsAfterJoin(us915, cFList), { extraChannels: [], enabledChannels });
    assert.equal(cFListFor(us915, { macVersion: '1.0.2', extraChannels: [], enabledChannels }), null);
  });
});

describe('channels', () => {
  const extra = [{ index: 3, frequency: 868_300_000, minDR: 6, maxDR: 6 }];

  it('on one frequency are distinguished by data-rate', () => {
    assert.equal(channelIndexOf(eu868, 868_300_000, 5, extra), 1);
    assert.equal(channelIndexOf(eu868, 868_300_000, 6, extra), 3);
    assert.equal(channelIndexOf(eu868, 868_300_000, 6), null);
    assert.equal(channelIndexOf(us915, 904_600_000, 4), 65);
  });

  it('are replaced by extra ones with the same index', () => {
    const moved = { index: 1, frequency: 867_100_000, minDR: 0, maxDR: 5 };
    assert.deepEqual(uplinkChannels(eu868, [moved])[1], moved);
    assert.equal(uplinkChannels(eu868, [moved]).length, 3);
  });

  it('limit the data-rate of ADR', () => {
    assert.equal(highestADRDataRate(eu868, uplinkChannels(eu868, extra)), 5);
    assert.equal(highestADRDataRate(us915, uplinkChannels(us915)), 3);
    assert.equal(highestADRDataRate(eu868, [{ minDR: 0, maxDR: 2 }]), 2);
    assert.equal(highestADRDataRate(eu868, []), null);
  });
});

describe('regions', () => {
  it('refuse unknown names and data-rates with a plain sentence', () => {
    assert.throws(() => region('XX1'), { name: 'RangeError', message: /^There is no region "XX1". Known are EU868, / });
    assert.throws(() => modulationOf(us915, 7), { message: 'US915 has no data-rate 7.' });
    assert.equal(region('AS923_2').name, 'AS923-2');
  });
});
