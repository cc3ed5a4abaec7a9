import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import { systemClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { createSteadyTime } from '../database/steady-time.ts';
import type { Unit } from '../database/unit.ts';
import { createMetrics } from '../metrics.ts';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { insertDeviceRows, insertListOwners } from '../testing/listed-rows.ts';
import { countersOf } from './counters.ts';
import { foldFacts } from './fold.ts';
import { bucketStart, nextBucket } from './interval.ts';
import { createStatistics, type Statistics } from './statistics.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('interval', () => {
  const at = new Date(2026, 2, 31, 23, 59, 30).getTime();
  it('starts buckets in the time zone of the process', () => {
    assert.equal(bucketStart('MINUTE', at), new Date(2026, 2, 31, 23, 59).getTime());
    assert.equal(bucketStart('HOUR', at), new Date(2026, 2, 31, 23).getTime());
    assert.equal(bucketStart('DAY', at), new Date(2026, 2, 31).getTime());
    assert.equal(bucketStart('MONTH', at), new Date(2026, 2, 1).getTime());
  });
  it('proceeds to the next bucket', () => {
    assert.equal(nextBucket('DAY', new Date(2026, 2, 31).getTime()), new Date(2026, 3, 1).getTime());
    assert.equal(nextBucket('MONTH', new Date(2026, 11, 1).getTime()), new Date(2027, 0, 1).getTime());
    assert.equal(nextBucket('HOUR', new Date(2026, 2, 31, 23).getTime()), new Date(2026, 3, 1).getTime());
  });
});

const usual = { log: pino({ level: 'silent' }), clock: systemClock };

function statisticsOf(database: Database, around = usual, limits: { factsPerRound?: number } = {}) {
  const steadyTime = createSteadyTime({ database, ...around });
  return createStatistics({ database, ...around, steadyTime, metrics: createMetrics(), ...limits });
}

describe('the steady time', () => {
  it('is in whole milliseconds, for columns of integers', async () => {
    await using database = await createTestDatabase('sqlite');
    const time = { wallMs: 1_000_000, monotonicMs: 0.25 };
    const clock = { ...systemClock, now: () => new Date(time.wallMs), monotonicMs: () => time.monotonicMs };
    const steadyTime = createSteadyTime({ database, log: usual.log, clock });
    await steadyTime.moveOn();
    Object.assign(time, { wallMs: 2_000_000, monotonicMs: 1000.5 });
    assert.equal(steadyTime.now(), 1_001_250);
    assert.equal(await steadyTime.moveOn(), 1_001_250);
  });
});

for (const kind of databases) {
  describe(`statistics on ${kind}`, () => {
    const open = async () => {
      const database = await createTestDatabase(kind);
      const statistics = statisticsOf(database);
      return { database, statistics, [Symbol.asyncDispose]: async () => database[Symbol.asyncDispose]() };
    };
    const now = Date.now();
    const uplink = { rx_count: 1, gw_rssi_sum: -60.5, rx_freq_868100000: 1, rx_dr_5: 1 };

    it('answers the same before, during and after a fold', async () => {
      await using opened = await open();
      const { statistics } = opened;
      await statistics.record('device:a', now, uplink);
      await statistics.record('device:a', now, uplink);
      await statistics.record('device:b', now, uplink);
      const read = () => statistics.read('device:a', 'DAY', now, now);
      const expected = { rx_count: 2, gw_rssi_sum: -121, rx_freq_868100000: 2, rx_dr_5: 2 };
      assert.deepEqual((await read())[0]?.counters, expected);
      await statistics.fold();
      assert.deepEqual((await read())[0]?.counters, expected);
      await statistics.record('device:a', now, { error_OTAA: 1 });
      assert.deepEqual((await read())[0]?.counters, { ...expected, error_OTAA: 1 });
      await statistics.fold();
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

    describe('retention', () => {
      /** Statistics with their own clock, and the warnings they log. */
      const openAt = async () => {
        const database = await createTestDatabase(kind);
        const time = { wallMs: now, monotonicMs: 0 };
        const clock = {
          ...systemClock,
          now: () => new Date(time.wallMs),
          monotonicMs: () => time.monotonicMs,
        };
        const lines: string[] = [];
        const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
        return {
          database,
          lines,
          time,
          start: () => statisticsOf(database, { log, clock }),
          pass: (ms: number) => {
            time.wallMs += ms;
            time.monotonicMs += ms;
          },
          kept: async () => {
            const rows = await database.query.selectFrom('metric').select('interval').orderBy('interval').execute();
            return rows.map(({ interval }) => interval).join(' ');
          },
          [Symbol.asyncDispose]: async () => database[Symbol.asyncDispose](),
        };
      };

      it('removes buckets after their retention', async () => {
        await using opened = await openAt();
        const { pass, kept, start, lines } = opened;
        const statistics = start();
        await statistics.record('device:a', now, uplink);
        await statistics.fold();
        pass(hour);
        await statistics.fold();
        assert.equal(await kept(), 'DAY HOUR MINUTE MONTH');
        pass(2 * hour);
        await statistics.fold();
        assert.equal(await kept(), 'DAY HOUR MONTH');
        const [first] = await statistics.read('device:a', 'MINUTE', now, now);
        assert.deepEqual(first?.counters, {});
        pass(7 * 24 * hour);
        await statistics.fold();
        assert.equal(await kept(), 'DAY HOUR MONTH');
        pass(24 * hour);
        await statistics.fold();
        assert.equal(await kept(), 'DAY MONTH');
        assert.deepEqual(lines, []);
      });

      it('removes nothing when the clock is set forward, also after a restart, and warns', async () => {
        await using opened = await openAt();
        const { pass, time, kept, start, lines } = opened;
        const before = start();
        await before.record('device:a', now, uplink);
        await before.fold();
        time.wallMs += 3 * 365 * 24 * hour;
        await before.record('device:a', time.wallMs, uplink);
        await before.fold();
        assert.equal(await kept(), 'DAY DAY HOUR HOUR MINUTE MINUTE MONTH MONTH');
        assert.match(lines.join(), /the clock jumped/);
        lines.length = 0;
        const after = start();
        await after.fold();
        pass(hour);
        await after.fold();
        assert.equal(await kept(), 'DAY DAY HOUR HOUR MINUTE MINUTE MONTH MONTH');
        assert.match(lines.join(), /days ahead/);
        time.wallMs = now + hour;
        await after.fold();
        assert.equal((await after.read('device:a', 'MINUTE', now, now))[0]?.counters['rx_count'], 1);
      });
    });

    it('shrinks a row with forged frequencies when it is read or added to', async () => {
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
      await statistics.fold();
      assert.equal(countersOf('rx_freq_', await read())['868100000'], 10);
      const stored = await database.query.selectFrom('metric').select('counters').execute();
      assert.ok(stored.every((row) => row.counters.length < 5000));
    });

    it('counts no fact that another process has claimed', async () => {
      await using opened = await open();
      const { statistics, database } = opened;
      for (let subject = 0; subject < 120; subject++)
        for (let n = 0; n < 3; n++) await statistics.record(`device:${subject}`, now, { rx_count: 1 });
      // Another process folds the same facts at the same time.
      const other = statisticsOf(database);
      await Promise.all([statistics.fold(), other.fold()]);
      await statistics.fold();
      assert.equal((await database.query.selectFrom('metric_fact').selectAll().execute()).length, 0);
      for (let subject = 0; subject < 120; subject++)
        assert.deepEqual((await statistics.read(`device:${subject}`, 'DAY', now, now))[0]?.counters, { rx_count: 3 });
    });

    it('stores the loss of a device of its last two days, only when it changes', async () => {
      await using opened = await open();
      const { statistics, database } = opened;
      const { organizations } = await insertListOwners(database, new Date(now));
      const [{ applicationIDs, profiles }] = organizations as [(typeof organizations)[0]];
      const owners = { application_id: applicationIDs[0]!, device_profile_id: profiles[0]!.id };
      await insertDeviceRows(
        database,
        [
          { dev_eui: 'a', ...owners },
          { dev_eui: 'b', ...owners },
        ],
        new Date(now),
      );
      const devices = () =>
        database.query.selectFrom('device').select(['dev_eui', 'loss']).orderBy('dev_eui').execute();
      const losses = async () => (await devices()).map(({ loss }) => loss);
      const record = (devEUI: string, daysAgo: number, received: number, lost: number) =>
        statistics.record(`device:${devEUI}`, now - daysAgo * 86_400_000, {
          rx_count: received,
          ...(lost > 0 && { lost_count: lost }),
        });

      await record('a', 2, 1, 99);
      await record('a', 1, 3, 1);
      await record('b', 0, 5, 0);
      await statistics.fold();
      assert.deepEqual(await losses(), [96.2, null]);
      await record('a', 0, 96, 0);
      await statistics.fold();
      assert.deepEqual(await losses(), [1, null]);
    });

    it('folds more facts than one round holds', async () => {
      await using opened = await open();
      const { database } = opened;
      const statistics = statisticsOf(database, usual, { factsPerRound: 250 });
      const facts = Array.from({ length: 1300 }, (_, n) => ({
        subject: `device:${n % 13}`,
        at: now,
        counters: '{"rx_count":1}',
      }));
      await database.query.insertInto('metric_fact').values(facts).execute();
      await statistics.fold();
      assert.equal((await database.query.selectFrom('metric_fact').selectAll().execute()).length, 0);
      for (let subject = 0; subject < 13; subject++)
        assert.deepEqual((await statistics.read(`device:${subject}`, 'DAY', now, now))[0]?.counters, { rx_count: 100 });
    });

    it('answers the same while very many facts are folded', async () => {
      await using opened = await open();
      const { statistics, database } = opened;
      const size = 4000;
      for (let first = 0; first < 20_000; first += size) {
        const facts = Array.from({ length: size }, (_, n) => ({
          subject: `device:${(first + n) % 500}`,
          at: now,
          counters: '{"rx_count":1}',
        }));
        await database.query.insertInto('metric_fact').values(facts).execute();
      }
      let isFolding = true;
      const folded = statistics.fold().finally(() => {
        isFolding = false;
      });
      const found = new Set<number | undefined>();
      while (isFolding) {
        const some = Array.from({ length: 20 }, (_, n) => `device:${n * 25}`);
        const read = await Promise.all(some.map((subject) => statistics.read(subject, 'DAY', now, now)));
        for (const [day] of read) found.add(day?.counters['rx_count']);
        await setImmediate();
      }
      await folded;
      assert.deepEqual([...found], [40]);
    });

    it('continues an interrupted round, and counts each fact once', async () => {
      await using opened = await open();
      const { database } = opened;
      const subjects = Array.from({ length: 200 }, (_, n) => `device:${n}`);
      const facts = subjects.flatMap((subject) => Array(3).fill({ subject, at: now, counters: '{"rx_count":1}' }));
      await database.query.insertInto('metric_fact').values(facts).execute();
      let batches = 0;
      const failing: Database = Object.create(database, {
        commitSeparately: {
          value: (unit: Unit) =>
            ++batches === 3 ? Promise.reject(new Error('The disk is gone.')) : database.commitSeparately(unit),
        },
      });
      const readAll = async (some: Statistics) => {
        const all = await Promise.all(subjects.map((subject) => some.read(subject, 'DAY', now, now)));
        return new Set(all.map(([day]) => day?.counters['rx_count']));
      };
      await assert.rejects(statisticsOf(failing).fold(), /The disk is gone/);
      const after = statisticsOf(database);
      assert.deepEqual([...(await readAll(after))], [3]);
      // Facts recorded since then belong to the next round.
      await after.record('device:0', now, { rx_count: 1 });
      await after.record('device:99', now, { rx_count: 1 });
      await after.fold();
      assert.equal((await database.query.selectFrom('metric_fact').selectAll().execute()).length, 0);
      assert.deepEqual((await after.read('device:0', 'DAY', now, now))[0]?.counters, { rx_count: 4 });
      assert.deepEqual((await after.read('device:99', 'DAY', now, now))[0]?.counters, { rx_count: 4 });
      await after.record('device:1', now, { rx_count: 1 });
      await after.fold();
      assert.deepEqual((await after.read('device:1', 'DAY', now, now))[0]?.counters, { rx_count: 4 });
      assert.deepEqual((await after.read('device:98', 'DAY', now, now))[0]?.counters, { rx_count: 3 });
    });

    it('stores nothing of a device that is removed while its facts are folded', async () => {
      await using opened = await open();
      const { statistics, database } = opened;
      for (const subject of ['device:a', 'device:b']) await statistics.record(subject, now, { rx_count: 1 });
      let isRemoved = false;
      const removing: Database = Object.create(database, {
        commitSeparately: {
          value: async (unit: Unit) => {
            if (!isRemoved) await statistics.remove(['device:a']);
            isRemoved = true;
            return database.commitSeparately(unit);
          },
        },
      });
      await statisticsOf(removing).fold();
      await statistics.fold();
      const rows = await database.query.selectFrom('metric').select('subject').distinct().execute();
      assert.deepEqual(rows, [{ subject: 'device:b' }]);
      assert.deepEqual((await statistics.read('device:b', 'DAY', now, now))[0]?.counters, { rx_count: 1 });
    });

    it('counts the facts of a device that is removed and added again while facts are read', async () => {
      await using opened = await open();
      const { statistics, database } = opened;
      await statistics.record('device:a', now, { rx_count: 1 });
      const facts = Array(300).fill({ subject: 'device:b', at: now, counters: '{"rx_count":1}' });
      await database.query.insertInto('metric_fact').values(facts).execute();
      let rests = 0;
      const pause = async () => {
        if (++rests > 1) return;
        await statistics.remove(['device:a']);
        await statistics.record('device:a', now, { rx_count: 1 });
      };
      const rounds = { factsPerRound: 1000, pause };
      await foldFacts(database, rounds);
      assert.deepEqual((await statistics.read('device:a', 'DAY', now, now))[0]?.counters, { rx_count: 1 });
      await foldFacts(database, rounds);
      assert.deepEqual((await statistics.read('device:a', 'DAY', now, now))[0]?.counters, { rx_count: 1 });
      assert.deepEqual((await statistics.read('device:b', 'DAY', now, now))[0]?.counters, { rx_count: 300 });
    });

    it('removes all facts of subjects among more than it scans at once', async () => {
      await using opened = await open();
      const { statistics, database } = opened;
      const { query } = database;
      const factOf = (device: string) => ({ subject: `device:${device}`, at: now, counters: '{"rx_count":1}' });
      for (let page = 0; page < 6; page++) {
        const others = Array.from({ length: 1000 }, () => factOf('b'));
        await query
          .insertInto('metric_fact')
          .values([...others, factOf('a'), factOf('c')])
          .execute();
      }
      await statistics.remove(['device:a', 'device:c']);
      const left = await query.selectFrom('metric_fact').select('subject').execute();
      assert.deepEqual([left.length, new Set(left.map(({ subject }) => subject))], [6000, new Set(['device:b'])]);
    });

    it('folds facts although removing old buckets fails', async () => {
      await using opened = await open();
      const { database } = opened;
      const steadyTime = { moveOn: () => Promise.reject(new Error('no clock')), now: () => 0 };
      const statistics = createStatistics({ database, ...usual, steadyTime, metrics: createMetrics() });
      await statistics.record('device:a', now, uplink);
      await statistics.fold();
      assert.equal((await database.query.selectFrom('metric_fact').selectAll().execute()).length, 0);
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
