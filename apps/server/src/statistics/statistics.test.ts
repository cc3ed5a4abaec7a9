import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pino from 'pino';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { countersOf } from './counters.ts';
import { bucketStart, nextBucket } from './interval.ts';
import { createStatistics } from './statistics.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('interval', () => {
  const at = new Date(2026, 2, 31, 23, 59, 30).getTime();
  it('starts buckets in the zone of the process', () => {
    assert.equal(bucketStart('MINUTE', at), new Date(2026, 2, 31, 23, 59).getTime());
    assert.equal(bucketStart('HOUR', at), new Date(2026, 2, 31, 23).getTime());
    assert.equal(bucketStart('DAY', at), new Date(2026, 2, 31).getTime());
    assert.equal(bucketStart('MONTH', at), new Date(2026, 2, 1).getTime());
  });
  it('goes on to the next bucket', () => {
    assert.equal(nextBucket('DAY', new Date(2026, 2, 31).getTime()), new Date(2026, 3, 1).getTime());
    assert.equal(nextBucket('MONTH', new Date(2026, 11, 1).getTime()), new Date(2027, 0, 1).getTime());
    assert.equal(nextBucket('HOUR', new Date(2026, 2, 31, 23).getTime()), new Date(2026, 3, 1).getTime());
  });
});

for (const kind of databases) {
  describe(`statistics on ${kind}`, () => {
    const open = async () => {
      const database = await createTestDatabase(kind);
      const statistics = createStatistics({ database, log: pino({ level: 'silent' }) });
      return { database, statistics, [Symbol.asyncDispose]: async () => database[Symbol.asyncDispose]() };
    };
    const now = Date.now();
    const uplink = { rx_count: 1, gw_rssi_sum: -60.5, rx_freq_868100000: 1, rx_dr_5: 1 };

    it('answers the same before, while and after adding up', async () => {
      await using opened = await open();
      const { statistics } = opened;
      await statistics.record('device:a', now, uplink);
      await statistics.record('device:a', now, uplink);
      await statistics.record('device:b', now, uplink);
      const read = () => statistics.read('device:a', 'DAY', now, now);
      const expected = { rx_count: 2, gw_rssi_sum: -121, rx_freq_868100000: 2, rx_dr_5: 2 };
      assert.deepEqual((await read())[0]?.counters, expected);
      await statistics.fold(now);
      assert.deepEqual((await read())[0]?.counters, expected);
      await statistics.record('device:a', now, { error_OTAA: 1 });
      assert.deepEqual((await read())[0]?.counters, { ...expected, error_OTAA: 1 });
      await statistics.fold(now);
      assert.deepEqual((await read())[0]?.counters, { ...expected, error_OTAA: 1 });
      assert.deepEqual(countersOf('rx_freq_', expected), { 868100000: 2 });
    });

    it('has one record per bucket, both ends included', async () => {
      await using opened = await open();
      const { statistics } = opened;
      await statistics.record('gateway:g', now - hour, { rx_count: 1 });
      const records = await statistics.read('gateway:g', 'HOUR', now - 2 * hour, now);
      assert.deepEqual(
        records.map(({ counters }) => counters['rx_count'] ?? 0),
        [0, 1, 0],
      );
      assert.equal(records[0]?.start, bucketStart('HOUR', now - 2 * hour));
      assert.deepEqual(await statistics.read('gateway:g', 'DAY', now, now - 3 * 24 * hour), []);
    });

    it('forgets what is older than it is kept', async () => {
      await using opened = await open();
      const { statistics, database } = opened;
      await statistics.record('device:a', now - 3 * hour, uplink);
      await statistics.fold(now);
      const [first] = await statistics.read('device:a', 'MINUTE', now - 3 * hour, now - 3 * hour);
      assert.deepEqual(first?.counters, {});
      const kept = await database.query.selectFrom('metric').select('interval').orderBy('interval').execute();
      assert.deepEqual(
        kept.map(({ interval }) => interval),
        ['DAY', 'HOUR', 'MONTH'],
      );
    });

    it('shrinks a row that was filled with made-up frequencies when it is read or added to', async () => {
      await using opened = await open();
      const { statistics, database } = opened;
      const madeUp = Object.fromEntries(Array.from({ length: 20_000 }, (_, nth) => [`rx_freq_${nth + 1}`, 1]));
      const counters = JSON.stringify({ rx_count: 20_009, rx_freq_868100000: 9, ...madeUp });
      const start = bucketStart('DAY', now);
      await database.query
        .insertInto('metric')
        .values({ subject: 'gateway:g', interval: 'DAY', start, counters })
        .execute();
      const read = async () => (await statistics.read('gateway:g', 'DAY', now, now))[0]!.counters;
      const perFrequency = countersOf('rx_freq_', await read());
      assert.deepEqual([Object.keys(perFrequency).length, perFrequency['868100000']], [129, 9]);
      assert.equal(perFrequency['0'], 20_000 - 127);
      await statistics.record('gateway:g', now, { rx_count: 1, rx_freq_868100000: 1 });
      await statistics.fold(now);
      assert.equal(countersOf('rx_freq_', await read())['868100000'], 10);
      const stored = await database.query.selectFrom('metric').select('counters').execute();
      assert.ok(stored.every((row) => row.counters.length < 5000));
    });

    it('counts nothing that was rolled back', async () => {
      await using opened = await open();
      const { statistics, database } = opened;
      const undone = database.transaction(async () => {
        await statistics.record('device:a', now, uplink);
        throw new Error('no');
      });
      await assert.rejects(undone);
      assert.deepEqual((await statistics.read('device:a', 'DAY', now, now))[0]?.counters, {});
    });
  });
}
