import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReceivedAirtime } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { insertGatewayRows, insertListOwners } from '../testing/listed-rows.ts';
import { AirtimeRecords } from './airtime.ts';
import { unpackHour } from './airtime-hour.ts';
import { forgetOldAirtime, hourMs, readAirtime } from './airtime-rows.ts';

const gatewayID = '0a00000000000001';
const startMs = Date.UTC(2026, 10, 21, 12);
const frameOf = (sender: ReceivedAirtime['sender'], frequency = 868_100_000): ReceivedAirtime => {
  return { frequency, dr: 5, airtimeUs: 1000, sender };
};

async function register(database: Database): Promise<void> {
  const now = new Date(startMs);
  const { networkServerID, organizations } = await insertListOwners(database, now);
  const owner = { organization_id: organizations[0]!.id, network_server_id: networkServerID };
  await insertGatewayRows(database, [{ id: gatewayID, ...owner }], now);
}

for (const kind of databases) {
  describe(`airtime of gateways in their rows on ${kind}`, () => {
    async function started() {
      const database = await createTestDatabase(kind);
      await register(database);
      let nowMs = startMs;
      let leftOut = 0;
      const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs, after: () => () => undefined };
      const log = { error: () => undefined } as never;
      const instance = (of: Database = database) =>
        new AirtimeRecords({ database: of, clock, log, metrics: { count: () => void (leftOut += 1) } });
      const hours = async () =>
        (await readAirtime(database, gatewayID, { from: 0, to: Number.MAX_SAFE_INTEGER })).map(unpackHour);
      return { database, instance, hours, pass: (ms: number) => void (nowMs += ms), leftOut: () => leftOut };
    }

    it('are added by several instances at once, one row for each hour', async () => {
      const { database, instance, hours, pass } = await started();
      const instances = [instance(), instance(), instance()];
      for (let round = 0; round < 3; round++) {
        for (const one of instances) one.received(gatewayID, frameOf({ kind: 'own', devEUI: '0102030405060708' }));
        await Promise.all(instances.map((one) => one.write()));
      }
      pass(hourMs);
      instances[0]!.sent(gatewayID, { airtimeUs: 36_000_000, subBand: { from: 868_000_000, dutyCycle: 0.01 } });
      await instances[0]!.write();
      const [first, second] = await hours();
      assert.deepEqual([first?.ownUs, [...first!.devices.values()], first?.sentUs], [9000, [9000], 0]);
      assert.deepEqual([second?.ownUs, second?.sentUs, second?.fullest()], [0, 36_000_000, 1]);
      await forgetOldAirtime(database, startMs + 90 * 24 * hourMs + 1);
      assert.equal((await hours()).length, 1);
      await database[Symbol.asyncDispose]();
    });

    it('keep the loudest of many devices, networks and frequencies, and all of the sums', async () => {
      const { database, instance, hours } = await started();
      const records = instance();
      const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');
      for (let n = 0; n < 3000; n++) {
        const times = n === 1234 ? 5 : 1;
        for (let i = 0; i < times; i++) {
          records.received(gatewayID, frameOf({ kind: 'own', devEUI: hex(n, 16) }, 868_000_000 + n));
          records.received(gatewayID, frameOf({ kind: 'foreign', netID: hex(n, 6) }, 868_000_000 + n));
        }
      }
      await records.write();
      const [hour] = await hours();
      assert.deepEqual([hour?.ownUs, hour?.foreignUs], [3_004_000, 3_004_000]);
      assert.ok(hour!.channels.size <= 129 && hour!.devices.size <= 64 && hour!.networks.size <= 32);
      assert.equal(hour!.devices.get(hex(1234, 16)), 5000);
      assert.equal(hour!.networks.get(hex(1234, 6)), 5000);
      const sum = (values: Iterable<number>) => [...values].reduce((all, one) => all + one, 0);
      assert.equal(sum(hour!.networks.values()), 3_004_000);
      assert.equal(sum([...hour!.channels.values()].flat()), 6_008_000);
      await database[Symbol.asyncDispose]();
    });

    it('are written later when storage fails, and not for unregistered gateways', async () => {
      const { database, instance, hours } = await started();
      let isFailing = true;
      const failing: Database = {
        ...database,
        get query() {
          return database.query;
        },
        commitSeparately: (unit) => {
          if (isFailing) throw new Error('The disk is full.');
          return database.commitSeparately(unit);
        },
      };
      const records = instance(failing);
      records.received(gatewayID, frameOf({ kind: 'unreadable' }));
      records.received('0a000000000000ff', frameOf({ kind: 'unreadable' }));
      await assert.rejects(records.write());
      isFailing = false;
      records.received(gatewayID, frameOf({ kind: 'unreadable' }));
      await records.write();
      assert.deepEqual(
        (await hours()).map(({ unreadableUs, unreadableFrames }) => [unreadableUs, unreadableFrames]),
        [[2000, 2]],
      );
      const rows = await database.query.selectFrom('gateway_airtime').select('gateway_id').execute();
      assert.equal(rows.length, 1);
      await database[Symbol.asyncDispose]();
    });

    it('are left out, and counted, beyond as many senders as fit in memory', async () => {
      const { database, instance, leftOut } = await started();
      const records = instance();
      for (let n = 0; n < 20_003; n++) records.received(String(n), frameOf({ kind: 'unreadable' }));
      assert.equal(leftOut(), 3);
      await database[Symbol.asyncDispose]();
    });
  });
}
