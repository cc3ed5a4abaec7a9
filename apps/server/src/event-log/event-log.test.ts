import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import pino from 'pino';
import { systemClock } from '../clock.ts';
import { settings } from '../config.ts';
import type { Database } from '../database/database.ts';
import { createSteadyTime } from '../database/steady-time.ts';
import { createMetrics } from '../metrics.ts';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { storedEvent } from '../testing/event.ts';
import type { DeviceEvent } from './event.ts';
import type { EventLog, LogReader } from './event-log.ts';
import { createEventLog } from './log.ts';

const devEUI = '0102030405060708';
const neighbour = '0807060504030201';

/** Reads all events, a few at a time. */
async function readAll(reader: LogReader, limit = 3): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const events = await reader.next(limit);
    assert.ok(events.length <= limit);
    if (events.length === 0) return ids;
    ids.push(...events.map(({ id }) => id.slice(id.indexOf('-') + 1)));
  }
}

for (const kind of databases) {
  describe(`the event log on ${kind}`, () => {
    let database: Database & AsyncDisposable;
    /** Advanced by the test, so that the tail looks for commits of others on demand. */
    let passedMs = 0;
    const clock = { ...systemClock, monotonicMs: () => passedMs };
    const silent = pino({ level: 'silent' });
    const open = (on: Database = database) => {
      const around = { database: on, clock, log: silent };
      return createEventLog({
        ...around,
        config: settings.parse({}),
        steadyTime: createSteadyTime(around),
        metrics: createMetrics(),
      });
    };
    let log: EventLog;
    let seq = 0;
    before(async () => {
      database = await createTestDatabase(kind);
      log = await open();
    });
    after(() => database[Symbol.asyncDispose]());

    const next = (applicationID = 1, of = devEUI) => ({ ...storedEvent(of, `1000-${++seq}`), applicationID });
    /** Commits events one after the other; answers their stream ids. */
    const append = async (count: number, applicationID = 1, of = devEUI) => {
      const ids: string[] = [];
      for (let n = 0; n < count; n++) {
        const event = next(applicationID, of);
        ids.push(`1000-${seq}`);
        await database.transaction(() => log.append(event));
      }
      return ids;
    };

    it('answers each event once, in order, to every reader, and those of an application to its readers', async () => {
      const start = await log.end();
      const [all, one] = [log.reader(undefined, start), log.reader(1, start)];
      assert.deepEqual(await readAll(all), []);
      const first = [await append(4), await append(2, 2, neighbour), await append(3)];
      assert.deepEqual(await readAll(all), first.flat());
      assert.deepEqual(await readAll(one), [...first[0]!, ...first[2]!]);
      const later = await append(2);
      assert.deepEqual([await readAll(all), await readAll(one)], [later, later]);
    });

    it('returns events completely', async () => {
      const reader = log.reader(1, await log.end());
      const event = next();
      await database.transaction(() => log.append(event));
      const [read] = await reader.next(10);
      assert.deepEqual(
        { ...read, pos: 0 },
        { id: event.id, pos: 0, type: 'up', devEUI, applicationID: 1, at: new Date(1000), json: event.json() },
      );
      assert.deepEqual(await log.newest(1), read);
    });

    it('returns nothing that was rolled back or is not committed yet', async () => {
      const reader = log.reader(1, await log.end());
      const undone = database.transaction(async () => {
        await log.append(next());
        assert.deepEqual(await readAll(reader), []);
        throw new Error('undone');
      });
      await assert.rejects(undone, /undone/);
      const ids = await append(1);
      assert.deepEqual(await readAll(reader), ids);
    });

    it('continues from a stored position without missing or repeating events, also in a later process', async () => {
      const reader = log.reader(1, await log.end());
      const ids = await append(7);
      const read = await reader.next(4);
      const [, second] = read;
      const positions = [reader.position([]), reader.position([second!])];
      for (const again of [log, await open()]) {
        assert.deepEqual(await readAll(again.reader(1, positions[0]!)), ids.slice(4));
        assert.deepEqual(await readAll(again.reader(1, positions[1]!)), ids.slice(1));
      }
      await readAll(reader);
      assert.equal(reader.position([]), await log.end());
    });

    it('reads the table when the tail has advanced without the reader', async () => {
      const reader = log.reader(1, await log.end());
      const other = log.reader(2, await log.end());
      await readAll(reader);
      const ids = await append(3);
      passedMs += 10_000;
      assert.deepEqual(await readAll(log.reader(1, await log.end())), []);
      ids.push(...(await append(2)));
      assert.deepEqual([await readAll(reader), await readAll(other)], [ids, []]);
    });

    it('notifies after the commit, by application and for all', async () => {
      const woken: string[] = [];
      const received = Promise.withResolvers<void>();
      const stops = [
        log.onAppend(1, () => woken.push('one')),
        log.onAppend(2, () => woken.push('two')),
        log.onAppend(undefined, () => {
          woken.push('all');
          received.resolve();
        }),
      ];
      const reader = log.reader(1, await log.end());
      const ids = await append(1);
      await received.promise;
      assert.deepEqual([woken.toSorted(), await readAll(reader)], [['all', 'one'], ids]);
      for (const stop of stops) stop();
    });

    it('reads the table for readers that are further behind than the tail, and the tail once for all others', async () => {
      const start = await log.end();
      const many = 9000;
      await database.transaction(async () => {
        for (let n = 0; n < many; n++) await log.append(next());
      });
      await log.reader(1, start).next(1);
      const left = log.reader(1, start);
      let count = 0;
      for (let events = await left.next(500); events.length > 0; events = await left.next(500)) count += events.length;
      assert.equal(count, many);

      let reads = 0;
      const counting = Object.create(database, {
        query: { value: database.query.withPlugin(onQuery(() => (reads += 1))) },
      }) as Database;
      const counted = await open(counting);
      const end = await counted.end();
      const readers = Array.from({ length: 100 }, () => counted.reader(1, end));
      for (const reader of readers) await reader.next(1);
      reads = 0;
      const event = next();
      await database.transaction(() => counted.append(event));
      const read = await Promise.all(readers.map((reader) => reader.next(10)));
      assert.deepEqual(
        read.map((events) => events.map(({ id }) => id)),
        readers.map(() => [event.id]),
      );
      assert.ok(reads <= 3, `${reads} reads`);
    });

    it('finds the position of a time, and events by their properties', async () => {
      const of = (ms: number, more: object = {}) => ({ ...next(3), id: `${devEUI}-${ms}-${seq}`, ...more });
      const hour = 3_600_000;
      const events = Array.from({ length: 50 }, (_, n) => of(Date.UTC(2026, 0, 1) + n * hour));
      const error = { ...storedEvent(devEUI, `${events[9]!.at.getTime()}-${seq}`), applicationID: 3, type: 'error' };
      const join = of(Date.UTC(2026, 0, 9), { type: 'join' });
      const start = await log.end();
      await database.transaction(async () => {
        for (const event of [...events, error, join]) await log.append(event as DeviceEvent);
      });
      const firstFrom = async (ms: number) => {
        const [first] = await log.reader(3, await log.positionAt(new Date(ms))).next(1);
        return first?.id;
      };
      assert.equal(await firstFrom(Date.UTC(2026, 0, 1) + 20 * hour), events[20]!.id);
      assert.equal(await firstFrom(Date.UTC(2026, 0, 1) + 20 * hour + 1), events[21]!.id);
      assert.equal(await firstFrom(Date.UTC(2027, 0, 1)), undefined);
      assert.equal(await firstFrom(0), (await log.reader(3, start).next(1))[0]!.id);

      const newest = async (only?: Parameters<EventLog['newest']>[1]) => (await log.newest(3, only))?.id;
      assert.equal(await newest(), join.id);
      assert.equal(await newest({ type: 'up' }), events.at(-1)!.id);
      assert.equal(await newest({ type: 'error', devEUI }), error.id);
      assert.equal(await newest({ type: 'ack' }), undefined);
      assert.equal(await newest({ devEUI: neighbour }), undefined);
    });

    it('has no position beyond the newest event, so that a reader from a future time gets every later event', async () => {
      await append(2);
      const position = await log.positionAt(new Date(Date.UTC(2100, 0, 1)));
      assert.equal(position, await log.end());
      // Its own time is earlier: positions follow commits, not clocks.
      const ids = await append(2);
      assert.deepEqual(await readAll(log.reader(1, position)), ids);
    });

    it('counts waiting events', async () => {
      const start = await log.end();
      assert.deepEqual(await log.behind(1, start, ['up']), { events: 0, oldestAt: undefined });
      await append(3);
      await append(1, 2, neighbour);
      assert.deepEqual(await log.behind(1, start, ['up']), { events: 3, oldestAt: new Date(1000) });
      assert.deepEqual((await log.behind(undefined, start, ['up', 'join'])).events, 4);
      assert.deepEqual(await log.behind(1, start, ['join']), { events: 0, oldestAt: undefined });
    });
  });
}

/** Calls `act` with each statement. */
function onQuery(act: () => void): KyselyPlugin {
  return {
    transformQuery: ({ node }) => {
      act();
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
}
