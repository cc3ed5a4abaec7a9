import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databases } from '../testing/databases.ts';
import { type LoggedRow, openHistoryLog } from '../testing/history-log.ts';
import { readDependents } from './dependents.ts';
import { seal } from './seal.ts';

const start = Date.UTC(2026, 0, 2);
const hour = 3_600_000;
const [own, other] = ['0a0b0c0d0e0f1011', '0a0b0c0d0e0f1012'];

/** `receptions`: SNR by gateway. */
const up = (
  seq: number,
  at: number,
  receptions: Record<string, number>,
  note = '{}',
  spreadingFactor = 7,
): LoggedRow => ({
  ...{ at, seq, type: 'up', note },
  payload: JSON.stringify({
    rxInfo: Object.entries(receptions).map(([id, loRaSNR]) => ({
      gatewayID: Uint8Array.fromHex(id).toBase64(),
      loRaSNR,
    })),
    txInfo: { loRaModulationInfo: { spreadingFactor } },
  }),
});

for (const kind of databases)
  describe(`devices that need a gateway on ${kind}`, () => {
    it('are those that no other gateway received with enough margin in the period', async () => {
      await using log = await openHistoryLog(kind);
      const at = start + hour;
      const devices: Record<string, LoggedRow[]> = {
        // Another gateway received it a day before.
        '01': [up(1, start - hour, { [own]: 9, [other]: 9 }), up(2, at, { [own]: 5 }), up(3, at + 1, { [own]: 5 })],
        // The least SNR of SF7 is -7.5 dB, of SF12 -20 dB.
        '02': [up(1, at, { [own]: 5, [other]: -5 }), up(2, at + 1, { [own]: 5, [other]: -6 })],
        '03': [up(1, at, { [own]: 5, [other]: -5 }, '{}', 12), up(2, at + 1, { [own]: 5 })],
        '04': [up(1, at, { [own]: 5 }), up(2, at + 1, { [other]: 5 })],
        '05': [up(1, at, {})],
        '06': [up(1, at, { [other]: 5 })],
        '07': [up(1, at, { [own]: 5 }, '{"simulated":true}'), { ...up(2, at, { [own]: 5 }), type: 'join' }],
        // FSK has no least SNR.
        '08': [up(1, at, { [own]: 5, [other]: 0 }, '{}', 0)],
      };
      for (const [devEUI, events] of Object.entries(devices)) {
        await log.addDevice(devEUI);
        await log.append(devEUI, events);
      }
      const request = {
        gatewayID: own,
        since: start,
        devices: Object.keys(devices).map((devEUI) => ({ devEUI, above: 0 })),
      };
      const expected = {
        devices: [
          { devEUI: '01', uplinks: 2, otherMargin: null },
          { devEUI: '02', uplinks: 2, otherMargin: 2.5 },
        ],
        unknown: 1,
        isPartial: false,
      };
      assert.deepEqual(await readDependents(log.stores(), request), expected);
      const later = { ...request, devices: [{ devEUI: '01', above: 3 }] };
      assert.deepEqual((await readDependents(log.stores(), later)).devices, []);
      await seal(log.stores(), { upTo: log.last(), now: start, perDevice: 0, isForced: true });
      assert.deepEqual(await readDependents(log.stores(), request), expected);
      // Events of an earlier device with the DevEUI do not count.
      assert.deepEqual((await readDependents(log.stores(), later)).devices, []);
    });
  });
