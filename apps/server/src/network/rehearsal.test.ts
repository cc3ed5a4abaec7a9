import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { create, ns, RpcError } from '@hilltop/protobuf';
import type { Database } from '../database/database.ts';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { inRehearsals, rehearsed } from './rehearsal.ts';

for (const kind of databases) {
  describe(`rehearsals on ${kind}`, () => {
    let storage: Database & AsyncDisposable;
    let database: Database;
    before(async () => {
      storage = await createTestDatabase(kind);
      database = rehearsed(storage);
    });
    after(() => storage[Symbol.asyncDispose]());

    const devEui = (last: number) => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, last);

    /** A remote network server that records its calls, and whether they were made outside a transaction. */
    function remote(answers: Partial<Record<string, () => object>> = {}) {
      const calls: string[] = [];
      const entries = ['createDevice', 'deleteDevice', 'getNextDownlinkFCntForDevEUI', 'createDeviceQueueItem'].map(
        (method) => [
          method,
          async () => {
            calls.push(database.query.isTransaction ? `${method} in a transaction` : method);
            return answers[method]?.() ?? {};
          },
        ],
      );
      const service = Object.fromEntries(entries) as ns.NetworkServerService;
      return { calls, network: inRehearsals('one', service) };
    }
    const note = (subject: string) =>
      database.query
        .insertInto('metric_fact')
        .values({ subject, at: 1, counters: '' } as never)
        .execute();
    const notes = async (subject: string) =>
      (await database.query.selectFrom('metric_fact').select('id').where('subject', '=', subject).execute()).length;
    const device = { device: create(ns.Device, { devEui: devEui(1) }) };

    it('writes once and calls once, outside the transaction', async () => {
      const { calls, network } = remote();
      let runs = 0;
      await database.transaction(async () => {
        runs += 1;
        await note('once');
        await database.transaction(() => network.createDevice(device));
        await network.deleteDevice({ devEui: devEui(1) });
      });
      assert.deepEqual([await notes('once'), calls, runs], [1, ['createDevice', 'deleteDevice'], 2]);
    });

    it('answers questions with the result of the call', async () => {
      const { calls, network } = remote({ getNextDownlinkFCntForDevEUI: () => ({ fCnt: 42 }) });
      const answered = await database.transaction(async () => {
        const { fCnt } = await network.getNextDownlinkFCntForDevEUI({ devEui: devEui(1) });
        await network.createDeviceQueueItem({ item: create(ns.DeviceQueueItem, { fCnt }) });
        return fCnt;
      });
      assert.deepEqual([answered, calls], [42, ['getNextDownlinkFCntForDevEUI', 'createDeviceQueueItem']]);
    });

    it('writes nothing when a call is refused, and makes no call when the work fails', async () => {
      const refusing = remote({
        createDevice: () => {
          throw new RpcError('InvalidArgument', 'no');
        },
      });
      const work = async (network: ns.NetworkServerService, fail: boolean) => {
        await note('never');
        await network.createDevice(device);
        if (fail) throw new Error('ours');
      };
      await assert.rejects(
        database.transaction(() => work(refusing.network, false)),
        { code: 'InvalidArgument' },
      );
      const willing = remote();
      await assert.rejects(
        database.transaction(() => work(willing.network, true)),
        /ours/,
      );
      assert.deepEqual([await notes('never'), willing.calls], [0, []]);
    });

    it('ignores that a record to delete does not exist, in two runs', async () => {
      const { calls, network } = remote({
        deleteDevice: () => {
          throw new RpcError('NotFound', 'gone');
        },
      });
      let runs = 0;
      await database.transaction(async () => {
        runs += 1;
        for (let last = 0; last < 50; last++) await network.deleteDevice({ devEui: devEui(last) }).catch(() => {});
      });
      assert.deepEqual([calls.length, runs], [50, 2]);
    });

    it('gives up on work whose calls differ in each run', async () => {
      const { network } = remote();
      let last = 0;
      await assert.rejects(
        database.transaction(() => network.deleteDevice({ devEui: devEui(last++) })),
        { code: 'Aborted' },
      );
    });
  });
}
