import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type DeviceLabel, labelText, looksReversed, readLabel, reversedHex } from './tr005.ts';

const dev = '24e124136b502217';
const join = '24e124c0002a0001';
const key = '5572404c696e6b4c6f52613230313823';
const DEV = dev.toUpperCase();
const JOIN = join.toUpperCase();
const KEY = key.toUpperCase();

const example = 'LW:D0:1122334455667788:AABBCCDDEEFF0011:AABB1122:OAABBCCDDEEFF:SYYWWNNNNNN:PFOOBAR:CAF2C';
const ofExample = {
  joinEUI: '1122334455667788',
  devEUI: 'aabbccddeeff0011',
  vendorID: 'aabb',
  profileID: '1122',
  ownerToken: 'AABBCCDDEEFF',
  serialNumber: 'YYWWNNNNNN',
  proprietary: 'FOOBAR',
};

/** Texts as printed on labels, and what they say. */
const labels: readonly [text: string, says: Partial<DeviceLabel>][] = [
  // TR005 and its drafts.
  [example, { ...ofExample, isDamaged: false }],
  [example.replace('CAF2C', 'caf2c'), { ...ofExample, isDamaged: false }],
  [example.replace('CAF2C', 'CAF2D'), { ...ofExample, isDamaged: true }],
  [example.replace('FF0011', 'FF0012'), { ...ofExample, devEUI: 'aabbccddeeff0012', isDamaged: true }],
  [`LW:D0:${JOIN}:${DEV}:01E61234`, { devEUI: dev, joinEUI: join, vendorID: '01e6', profileID: '1234' }],
  [`  LW:D0:${JOIN}:${DEV}:01E61234\r\n`, { devEUI: dev, joinEUI: join }],
  [`lw:d0:${join}:${dev}:01e61234:s42`, { devEUI: dev, joinEUI: join, serialNumber: '42' }],
  [`LW:D0:${JOIN}:${DEV}:00000000`, { devEUI: dev, joinEUI: join }],
  [`LW:D0:${JOIN}:${DEV}:01E61234:S1:O2`, { devEUI: dev, serialNumber: '1', ownerToken: '2' }],
  [`URN:DEV:LW:${JOIN}_${DEV}_42FFFF42`, { devEUI: dev, joinEUI: join, vendorID: '42ff', profileID: 'ff42' }],
  [`URN:DEV:LW:${JOIN}_${DEV}_42FFFF42_V0102_S7_Pa`, { devEUI: dev, ownerToken: '0102', serialNumber: '7' }],
  [`URN:LW:DP:${JOIN}:${DEV}:FACE800C:%VF1FB552B%S201907160010`, { devEUI: dev, ownerToken: 'F1FB552B' }],
  [`URN:LW:DP:${JOIN}:${DEV}:FACE800C`, { devEUI: dev, joinEUI: join, vendorID: 'face', profileID: '800c' }],
  // One EUI.
  [DEV, { devEUI: dev }],
  [dev, { devEUI: dev }],
  [`0x${DEV}`, { devEUI: dev }],
  ['24-E1-24-13-6B-50-22-17', { devEUI: dev }],
  ['24:E1:24:13:6B:50:22:17', { devEUI: dev }],
  ['24 E1 24 13 6B 50 22 17', { devEUI: dev }],
  ['24E1-2413-6B50-2217', { devEUI: dev }],
  ['24E12413 6B502217', { devEUI: dev }],
  [`DevEUI: ${DEV}`, { devEUI: dev }],
  [`Device EUI ${DEV} S/N 6136B5022176`, { devEUI: dev }],
  [`${DEV},AM307,V1.2`, { devEUI: dev }],
  // Several values with names.
  [`${DEV}:${JOIN}`, { devEUI: dev, joinEUI: join }],
  [`DevEUI:${DEV};AppEUI:${JOIN};AppKey:${KEY}`, { devEUI: dev, joinEUI: join, key }],
  [`AppEUI ${JOIN}\nDevEUI ${DEV}`, { devEUI: dev, joinEUI: join }],
  [`JOIN EUI=${JOIN} DEV EUI=${DEV} APP KEY=${KEY}`, { devEUI: dev, joinEUI: join, key }],
  [`{"devEUI":"${dev}","appEUI":"${join}","appKey":"${key}"}`, { devEUI: dev, joinEUI: join, key }],
  [`dev_eui: 24-E1-24-13-6B-50-22-17, join_eui: ${JOIN}`, { devEUI: dev, joinEUI: join }],
  [`Nwk Key: 55 72 40 4C 69 6E 6B 4C 6F 52 61 32 30 31 38 23, DevEUI ${DEV}`, { devEUI: dev, key }],
  [`Application EUI: ${JOIN}, ${DEV}`, { devEUI: dev, joinEUI: join }],
  [`${DEV} ${KEY}`, { devEUI: dev, key }],
  [`AppKey ${KEY}`, { key }],
  ['5572404C-not-a-key', {}],
  // Several values without names: the user chooses.
  [`${DEV} ${JOIN}`, { euis: [dev, join] }],
  [`${DEV};${JOIN};${KEY}`, { euis: [dev, join], key, keys: [key] }],
  [`${DEV} ${DEV}`, { euis: [dev] }],
];

describe('the text of a label', () => {
  it('is read in every printed form', () => {
    assert.ok(labels.length >= 30);
    for (const [text, says] of labels) {
      const read = readLabel(text);
      if (Object.keys(says).length === 0) {
        assert.deepEqual(read, { kind: 'unknown' }, text);
        continue;
      }
      assert.equal(read.kind, 'device', text);
      assert.deepEqual({ ...read, ...says }, read, text);
    }
  });

  it('names neither a DevEUI nor a JoinEUI where it does not say which is which', () => {
    const read = readLabel(`${DEV} ${JOIN}`) as DeviceLabel;
    assert.deepEqual([read.devEUI, read.joinEUI], [undefined, undefined]);
  });

  it('has no vendor where the profile is zero', () => {
    const read = readLabel(`LW:D0:${JOIN}:${DEV}:00000000`) as DeviceLabel;
    assert.deepEqual([read.vendorID, read.profileID], [undefined, undefined]);
  });

  it('that is a web address is for another app', () => {
    for (const text of ['https://example.com/d/1', 'HTTP://EXAMPLE.COM', 'www.example.com/x', `https://e.com/${DEV}`])
      assert.deepEqual(readLabel(text), { kind: 'webAddress' }, text);
  });

  it('without an EUI or key says nothing', () => {
    for (const text of [
      '',
      ' ',
      'WIFI:S:guest;P:secret;;',
      '0102030405',
      `${DEV}0`,
      `x${DEV}`,
      'LW:D0:',
      'LW:D0:1:2:3',
    ])
      assert.deepEqual(readLabel(text), { kind: 'unknown' }, text);
  });

  it('never throws, and finds only values of 8 and 16 bytes', () => {
    const pieces = fc.constantFrom(
      'LW:D0:',
      'URN:DEV:LW:',
      'URN:LW:DP:',
      DEV,
      JOIN,
      KEY,
      ':',
      '_',
      '%V',
      '-',
      ' ',
      '24',
    );
    const mixed = fc.array(fc.oneof(pieces, fc.string()), { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), mixed), (text) => {
        const read = readLabel(text);
        if (read.kind !== 'device') return;
        for (const eui of read.euis) assert.match(eui, /^[0-9a-f]{16}$/);
        for (const each of read.keys) assert.match(each, /^[0-9a-f]{32}$/);
      }),
      { numRuns: 300 },
    );
  });

  it('stays fast for a text made to be slow', () => {
    for (const piece of ['24-', '24E1-', 'DevEUI', ' ', ':S', '0x24E1']) readLabel(piece.repeat(100_000));
  });
});

describe('a printed label', () => {
  it('says what it was made of', () => {
    assert.equal(
      labelText({ devEUI: 'aabbccddeeff0011', joinEUI: '1122334455667788', vendorID: 'aabb', profileID: '1122' }).slice(
        0,
        -6,
      ),
      example.slice(0, 'LW:D0:1122334455667788:AABBCCDDEEFF0011:AABB1122'.length),
    );
    const contents = { devEUI: dev, joinEUI: join, vendorID: '01e6', profileID: '1234' };
    assert.deepEqual(readLabel(labelText(contents)), {
      kind: 'device',
      ...contents,
      isDamaged: false,
      euis: [dev, join],
      keys: [],
    });
    assert.match(labelText({ devEUI: dev }), /^LW:D0:0{16}:24E124136B502217:00000000:C[0-9A-F]{4}$/);
  });
});

describe('an EUI', () => {
  it('that ends with the reversed prefix of a maker looks reversed', () => {
    assert.equal(looksReversed(reversedHex(dev)), true);
    assert.equal(looksReversed(dev), false);
    assert.equal(looksReversed('0102030405060708'), false);
    assert.equal(reversedHex('0102030405060708'), '0807060504030201');
  });
});
