import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Bus } from '../bus/bus.ts';
import { inProcessBus } from '../bus/in-process.ts';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { DutyCycleRecords } from './duty-cycle-records.ts';

/** Instances on one bus: each hears the others. */
function connectedBuses() {
  const listeners = new Map<object, (ordered: never) => unknown>();
  return (): Pick<Bus, 'publish' | 'subscribeToPeers'> => {
    const self = {};
    return {
      publish: (_topic, _key, message) => {
        for (const [other, listener] of listeners) if (other !== self) listener(message as never);
      },
      subscribeToPeers: (_topic, _key, listener) => {
        listeners.set(self, listener);
        return Promise.resolve(() => void listeners.delete(self));
      },
    };
  };
}

const gatewayID = '0a00000000000001';
const subBand = 868_000_000;

for (const kind of databases) {
  describe(`what gateways were ordered to send on ${kind}`, () => {
    /** A run of a server on this database, at this time. */
    async function started(
      database: Awaited<ReturnType<typeof createTestDatabase>>,
      nowMs: number,
      bus: Pick<Bus, 'publish' | 'subscribeToPeers'> = inProcessBus((error) => assert.fail(String(error))),
    ) {
      const clock = { now: () => new Date(nowMs), monotonicMs: () => 0 };
      const log = { error: ({ err }: { err?: unknown }) => assert.fail(String(err)) };
      const records = new DutyCycleRecords({ database, bus, clock, log: log as never });
      await records.start();
      const { use } = records;
      const order = (us: number) => use.order({ gatewayID, subBand, minute: use.minute(), us });
      return { records, use, order, usedUs: () => use.usedUs(gatewayID, subBand) };
    }
    const startMs = Date.UTC(2026, 10, 21, 12);
    const minutes = (count: number) => startMs + count * 60_000;

    it('counts after restarts for an hour, and what was given back does not', async () => {
      await using database = await createTestDatabase(kind);
      const first = await started(database, startMs);
      first.order(5_000_000);
      first.order(-2_000_000);
      await first.records.stop();
      const second = await started(database, minutes(30));
      assert.equal(second.usedUs(), 3_000_000);
      second.order(1_000_000);
      await second.records.stop();
      const third = await started(database, minutes(60));
      assert.equal(third.usedUs(), 4_000_000);
      await third.records.stop();
      const last = await started(database, minutes(63));
      assert.equal(last.usedUs(), 1_000_000);
      last.order(1);
      await last.records.stop();
      const rows = await database.query.selectFrom('duty_cycle_use').select('run').execute();
      assert.equal(rows.length, 2);
    });

    it('counts at all instances, also at one that begins later, whichever of them ends', async () => {
      await using database = await createTestDatabase(kind);
      const busOf = connectedBuses();
      const one = await started(database, startMs, busOf());
      const other = await started(database, startMs, busOf());
      const used = () => [one, other].map(({ usedUs }) => usedUs());
      one.order(5_000_000);
      other.order(4_000_000);
      assert.deepEqual(used(), [9_000_000, 9_000_000]);
      one.order(-2_000_000);
      assert.deepEqual(used(), [7_000_000, 7_000_000]);
      await one.records.stop();
      const later = await started(database, minutes(1), busOf());
      other.order(1_000_000);
      assert.equal(other.usedUs(), 8_000_000);
      // The orders of a live instance are known from its next write on.
      assert.equal(later.usedUs(), 4_000_000);
      await other.records.stop();
      await later.records.stop();
      const last = await started(database, minutes(2), busOf());
      assert.equal(last.usedUs(), 8_000_000);
      await last.records.stop();
    });

    it('counts all that could have been sent since the last write of a run that did not end properly', async () => {
      await using database = await createTestDatabase(kind);
      const killed = await started(database, startMs);
      killed.order(5_000_000);
      await killed.records.stop();
      await database.query.updateTable('duty_cycle_use').set({ is_final: false }).execute();
      const next = await started(database, minutes(1));
      assert.equal(next.usedUs(), 15_000_000);
      await next.records.stop();
    });
  });
}
