import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inProcessBus } from '../bus/in-process.ts';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { DutyCycleRecords } from './duty-cycle-records.ts';

const gatewayID = '0a00000000000001';
const subBand = 868_000_000;

for (const kind of databases) {
  describe(`what gateways were ordered to send on ${kind}`, () => {
    /** A run of a server on this database, at this time. */
    async function started(database: Awaited<ReturnType<typeof createTestDatabase>>, nowMs: number) {
      const clock = { now: () => new Date(nowMs), monotonicMs: () => 0 };
      const bus = inProcessBus((error) => assert.fail(String(error)));
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
