import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, fromJson, gw, integration, ns, RpcError } from './index.ts';

describe('fromJson', () => {
  it('fills defaults, ignores unknown members and reads null as unset', () => {
    assert.deepEqual(
      fromJson(gw.UplinkRXInfo, { rssi: null, unheardOf: 1, location: null, gatewayID: null }),
      create(gw.UplinkRXInfo),
    );
  });

  it('reads proto names, the JSON name wins', () => {
    assert.equal(fromJson(gw.UplinkRXInfo, { lora_snr: 5.5 }).loRaSNR, 5.5);
    assert.equal(fromJson(gw.UplinkRXInfo, { lora_snr: 5.5, loRaSNR: -3 }).loRaSNR, -3);
    assert.equal(fromJson(ns.DeviceProfile, { supports_32bit_f_cnt: true }).supports32bitFCnt, true);
  });

  it('reads numbers in quotes, 64-bit integers either way, enums by name or number', () => {
    assert.equal(fromJson(gw.UplinkRXInfo, { rssi: '-120' }).rssi, -120);
    assert.equal(fromJson(integration.AckEvent, { applicationID: 7 }).applicationID, '7');
    assert.equal(
      fromJson(integration.AckEvent, { applicationID: '18446744073709551615' }).applicationID,
      '18446744073709551615',
    );
    assert.equal(fromJson(gw.UplinkRXInfo, { crcStatus: 2 }).crcStatus, 'CRC_OK');
    assert.equal(fromJson(gw.UplinkRXInfo, { crcStatus: 'BAD_CRC' }).crcStatus, 'BAD_CRC');
  });

  it('reads maps, lists and durations', () => {
    const stats = fromJson(gw.GatewayStats, { rxPacketsPerFrequency: { 868100000: 3 }, metaData: { a: 'b' } });
    assert.deepEqual(stats.rxPacketsPerFrequency, { 868100000: 3 });
    assert.deepEqual(stats.metaData, { a: 'b' });
    const timing = fromJson(gw.DownlinkTXInfo, { delayTimingInfo: { delay: '1h0.5s' } });
    assert.equal(timing.delayTimingInfo?.delay, 3_600_500);
    assert.equal(timing.gpsEpochTimingInfo, undefined);
  });

  const refused: [string, unknown, RegExp][] = [
    ['no object', [], /the message must be an object/],
    ['a fraction', { rssi: 1.5 }, /^rssi must be a whole number/],
    ['a number too large', { channel: 2 ** 32 }, /^channel must be a whole number from 0 to 4294967295/],
    ['a negative unsigned number', { channel: -1 }, /^channel/],
    ['text for a number', { loRaSNR: 'loud' }, /^loRaSNR must be a number/],
    ['an unknown enum name', { crcStatus: 'FINE' }, /^crcStatus must be one of NO_CRC, BAD_CRC, CRC_OK/],
    ['an unknown enum number', { crcStatus: 77 }, /^crcStatus/],
    ['an inherited enum name', { crcStatus: 'toString' }, /^crcStatus/],
    ['unpadded base64', { gatewayID: 'uCfr//4RIjM' }, /^gatewayID must be standard base64 with padding/],
    ['URL base64', { gatewayID: 'uCfr__4RIjM=' }, /^gatewayID/],
    ['a time without zone', { time: '2023-03-01T10:15:30' }, /^time must be an RFC 3339 time/],
    ['a time that is no day', { time: '2023-13-01T10:15:30Z' }, /^time/],
    ['a day that its month does not have', { time: '2026-02-30T10:15:30Z' }, /^time/],
    ['a duration without unit', { timeSinceGPSEpoch: '30' }, /^timeSinceGPSEpoch must be a duration with unit/],
    ['a wrong member deep inside', { location: { latitude: true } }, /^location\.latitude must be a number/],
    [
      'two members of one oneof',
      { plainFineTimestamp: {}, encryptedFineTimestamp: {} },
      /plainFineTimestamp and encryptedFineTimestamp exclude each other/,
    ],
  ];
  for (const [what, json, text] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => fromJson(gw.UplinkRXInfo, json),
        (error) => error instanceof RpcError && error.code === 'InvalidArgument' && text.test(error.message),
      );
    });
  }

  it('refuses a 64-bit integer that does not fit', () => {
    assert.throws(() => fromJson(integration.AckEvent, { applicationID: '-1' }), RpcError);
    assert.throws(() => fromJson(integration.AckEvent, { applicationID: 2 ** 60 }), RpcError);
  });

  it('names the position inside lists', () => {
    assert.throws(
      () => fromJson(integration.UplinkEvent, { rxInfo: [{}, { rssi: 'x' }] }),
      /^RpcError: rxInfo\[1\]\.rssi/,
    );
  });
});
