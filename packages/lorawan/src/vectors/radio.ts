import assert from 'node:assert/strict';
import { loRaAirtimeUs, loRaPayloadSymbols } from '../airtime.ts';
import { dateOfGpsTime, gpsTimeOf } from '../gps-time.ts';
import { nextPingSlot, pingOffset } from '../regions/class-b.ts';
import { eirpCodeOf, eirpCodes, linkBudget, requiredSNR, sensitivity } from '../regions/radio.ts';
import type { Check } from './vector.ts';

/** Tests of times and radio figures. */
export const radioChecks: Record<string, Check> = {
  'airtime.lora': ({ params, expect }) => {
    const { bandwidthKHz, codingRate, ...others } = params;
    const frame = { ...others, bandwidth: bandwidthKHz, codeRate: codingRate, crc: true };
    assert.equal(loRaPayloadSymbols(frame), expect.payloadSymbols);
    assertNear(loRaAirtimeUs(frame), expect.airtimeUs, 1);
  },

  'gps.time': ({ params, expect }) => {
    const utc = new Date(params.utc);
    assert.equal(gpsTimeOf(utc) / 1000, expect.gpsSeconds);
    assert.equal(dateOfGpsTime(gpsTimeOf(utc)).getTime(), utc.getTime());
  },

  'classB.pingOffset': ({ params, expect }) => {
    assert.deepEqual(pingOffset(params.devAddr, params.beaconTimeSeconds, params.pingNb), expect);
  },

  'classB.nextPingSlot': ({ params, expect }) => {
    assert.equal(nextPingSlot(params.devAddr, params.afterGpsMs, params.pingNb), expect.gpsMs);
  },

  'txParam.eirpIndex': ({ params, expect }) => {
    const index = eirpCodeOf(params.eirpDbm);
    assert.deepEqual({ index, codedDbm: eirpCodes[index] }, expect);
  },

  'radio.requiredSnr': ({ params: { spreadingFactor }, expect }) => {
    assert.equal(requiredSNR({ modulation: 'LORA', bandwidth: 125, spreadingFactor }), expect.snr);
  },

  'radio.linkBudget': ({ params: { bandwidthKHz, snr, txPowerDbm }, expect }) => {
    assertNear(sensitivity(bandwidthKHz, snr), expect.sensitivityDbm, 0.1);
    assertNear(linkBudget(txPowerDbm, bandwidthKHz, snr), expect.linkBudgetDb, 0.1);
  },
};

function assertNear(actual: number, expected: unknown, tolerance: number): void {
  assert.ok(Math.abs(actual - Number(expected)) <= tolerance, `${actual} is not near ${String(expected)}`);
}
