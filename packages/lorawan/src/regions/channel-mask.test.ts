import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { channelsAfterLinkADRReq, linkADRReqPayloads, linkADRReqUnchanged } from './channel-mask.ts';
import { defaultChannelIndexes } from './channels.ts';
import { region, regions } from './registry.ts';

describe('linkADRReqPayloads', () => {
  for (const here of regions) {
    it(`changes a device of ${here.name} to any set of channels`, () => {
      const known =
        here.channelPlan === 'fixed' ? defaultChannelIndexes(here) : Array.from({ length: 16 }, (_, index) => index);
      fc.assert(
        fc.property(fc.subarray(known), fc.subarray(known), (device, network) => {
          const payloads = linkADRReqPayloads(here, device, network);
          assert.deepEqual(channelsAfterLinkADRReq(here, device, payloads, known), network);
          assert.ok(payloads.length <= Math.ceil(here.maxUplinkChannels / 16));
        }),
      );
    });
  }

  it('is empty when nothing must change', () => {
    assert.deepEqual(linkADRReqPayloads(region('US915'), [8, 9, 65], [65, 8, 9]), []);
  });

  it('masks the wide channels in the command that switches the narrow ones', () => {
    const all = defaultChannelIndexes(region('US915'));
    const subBand = [8, 9, 10, 11, 12, 13, 14, 15, 65];
    const payloads = linkADRReqPayloads(region('US915'), all, subBand);
    assert.deepEqual(
      payloads.map(({ redundancy }) => redundancy.chMaskCntl),
      [7, 0],
    );
    assert.deepEqual(
      linkADRReqPayloads(region('US915'), subBand, all).map(({ redundancy }) => redundancy.chMaskCntl),
      [6],
    );
  });
});

describe('channelsAfterLinkADRReq', () => {
  const off = Array.from({ length: 16 }, () => false);
  const payload = (chMaskCntl: number, on: number[]) => ({
    dataRate: 0,
    txPower: 0,
    chMask: off.map((_, bit) => on.includes(bit)),
    redundancy: { chMaskCntl, nbRep: 0 },
  });

  it('supports banks of eight narrow channels and a wide one', () => {
    const bank = channelsAfterLinkADRReq(region('AU915'), [0], [payload(5, [1])]);
    assert.deepEqual(bank, [8, 9, 10, 11, 12, 13, 14, 15, 65]);
  });

  it('enables no channel that the device does not have', () => {
    assert.deepEqual(channelsAfterLinkADRReq(region('EU868'), [0], [payload(0, [0, 1, 7])]), [0, 1]);
    assert.deepEqual(channelsAfterLinkADRReq(region('EU868'), [0], [payload(6, [])], [0, 1, 2, 3]), [0, 1, 2, 3]);
  });

  it('ignores reserved masks', () => {
    assert.deepEqual(channelsAfterLinkADRReq(region('EU868'), [0, 2], [payload(3, [1])]), [0, 2]);
  });
});

describe('linkADRReqUnchanged', () => {
  it('repeats the first enabled block', () => {
    const channels = [40, 41, 69];
    const payload = linkADRReqUnchanged(region('US915'), channels);
    assert.equal(payload.redundancy.chMaskCntl, 2);
    assert.deepEqual(channelsAfterLinkADRReq(region('US915'), channels, [payload]), channels);
  });
});
