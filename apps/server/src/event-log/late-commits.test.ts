import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as briefly, setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import pino from 'pino';
import { systemClock } from '../clock.ts';
import { settings } from '../config.ts';
import type { Database } from '../database/database.ts';
import { createSteadyTime } from '../database/steady-time.ts';
import { createMetrics } from '../metrics.ts';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { storedEvent } from '../testing/event.ts';
import type { EventLog, LogPosition, LogReader } from './event-log.ts';
import { createEventLog } from './log.ts';

/** Concurrent transactions commit in another order than they get their numbers. */
describe('events that are committed late', { skip: !databases.includes('postgres') && 'no PostgreSQL' }, () => {
  let database: Database & AsyncDisposable;
  let log: EventLog;
  let passedMs = 0;
  const open = () => {
    const clock = { ...systemClock, monotonicMs: () => passedMs };
    const around = { database, clock, log: pino({ level: 'silent' }) };
    const steadyTime = createSteadyTime(around);
    return createEventLog({ ...around, config: settings.parse({}), steadyTime, metrics: createMetrics() });
  };
  before(async () => {
    database = await createTestDatabase('postgres');
    log = await open();
  });
  after(() => database[Symbol.asyncDispose]());

  let last = 0;
  const write = (devEUI: string) => {
    last += 1;
    return { id: `${devEUI}-1000-${last}`, run: (into = log) => into.append(storedEvent(devEUI, `1000-${last}`)) };
  };

  /** A transaction that the test controls: it has its number from `append` on, and is visible from `commit` on. */
  async function hold(devEUI: string) {
    const begun = Promise.withResolvers<void>();
    const appending = Promise.withResolvers<void>();
    const appended = Promise.withResolvers<string>();
    const ending = Promise.withResolvers<boolean>();
    const ended = database
      .transaction(async () => {
        // Like the update of the device, which gives the transaction its id before its number.
        await sql`select pg_current_xact_id()`.execute(database.query);
        begun.resolve();
        await appending.promise;
        const { id, run } = write(devEUI);
        await run();
        appended.resolve(id);
        if (!(await ending.promise)) throw new Error('undone');
      })
      .catch((error: unknown) => assert.match(String(error), /undone/));
    await begun.promise;
    return {
      append: () => {
        appending.resolve();
        return appended.promise;
      },
      end: (commit: boolean) => {
        ending.resolve(commit);
        return ended;
      },
    };
  }

  async function readAll(reader: LogReader): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const events = await reader.next(2);
      if (events.length === 0) return ids;
      ids.push(...events.map(({ id }) => id));
    }
  }

  it('do not repeat events that were completed before they arrived', async () => {
    const reader = log.reader(undefined, await log.end());
    const late = await hold('0a');
    await late.append();
    const done: string[] = [];
    for (const devEUI of ['0b', '0c']) {
      const { id, run } = write(devEUI);
      await run();
      done.push(id);
    }
    assert.deepEqual(await readAll(reader), done);
    await late.end(true);
    passedMs += 1000;
    const [arrived] = await reader.next(10);
    const position = reader.position([arrived!]);
    assert.deepEqual(await readAll(log.reader(undefined, position)), [arrived!.id]);
    assert.deepEqual(await readAll(log.reader(undefined, reader.position([]))), []);
  });

  /** Readers that continue from there, in this process and in another. */
  const readFrom = async (position: LogPosition) => {
    const [here, there] = [await readAll(log.reader(1, position)), await readAll((await open()).reader(1, position))];
    assert.deepEqual(here, there);
    return here;
  };

  it('are read by live readers, and by those that continue from a stored position, once', async () => {
    const reader = log.reader(1, await log.end());
    const [a, b, c] = [await hold('0a'), await hold('0b'), await hold('0c')];
    const ids = [await a.append(), await b.append(), await c.append()];
    await c.end(true);
    assert.deepEqual(await readAll(reader), [ids[2]]);
    const stored = reader.position([]);
    await b.end(true);
    assert.deepEqual(await readAll(reader), [ids[1]]);
    const later = reader.position([]);
    await a.end(true);
    assert.deepEqual(await readAll(reader), [ids[0]]);
    assert.deepEqual([await readFrom(stored), await readFrom(later)], [ids.slice(0, 2), ids.slice(0, 1)]);
    assert.deepEqual(await readFrom(reader.position([])), []);
  });

  it('are in a position that is stored while others arrive', async () => {
    const reader = log.reader(1, await log.end());
    assert.deepEqual(await readAll(reader), []);
    const [late, b, c] = [await hold('0a'), await hold('0b'), await hold('0c')];
    const ids = [await late.append(), await b.append(), await c.append()];
    await Promise.all([b.end(true), c.end(true)]);
    assert.deepEqual(
      (await reader.next(1)).map(({ id }) => id),
      [ids[1]],
    );
    const position = reader.position([]);
    await late.end(true);
    assert.deepEqual(await readFrom(position), [ids[0], ids[2]]);
  });

  it('are read when the transaction with the older id takes its number later and ends earlier', async () => {
    const reader = log.reader(1, await log.end());
    const [older, newer] = [await hold('0a'), await hold('0b')];
    const ids = [await newer.append(), await older.append()];
    await older.end(true);
    for (let n = 0; n < 3; n++) {
      assert.deepEqual(await readAll(reader), n === 0 ? [ids[1]] : []);
      passedMs += 600;
    }
    await newer.end(true);
    assert.deepEqual(await readAll(reader), [ids[0]]);
  });

  it('delay no reader, and are waited for no longer than their transactions', async () => {
    const reader = log.reader(1, await log.end());
    const [undone, seen] = [await hold('0a'), await hold('0b')];
    await undone.append();
    const id = await seen.append();
    await seen.end(true);
    assert.deepEqual(await readAll(reader), [id]);
    assert.match(reader.position([]), /:/);
    await undone.end(false);
    // Transactions of other databases of this server count as well: those of concurrent tests.
    while (!/^\d+$/.test(reader.position([]))) {
      passedMs += 600;
      assert.deepEqual(await readAll(reader), []);
      await briefly();
    }
    while ((await log.end()) !== reader.position([])) await briefly();
  });

  it('are read from an end that was requested meanwhile, in this log and one that starts then', async () => {
    const [late, early] = [await hold('0a'), await hold('0b')];
    const ids = [await late.append(), await early.append()];
    await early.end(true);
    const begun = await open();
    const readers = [log.reader(1, await log.end()), begun.reader(1, await begun.end())];
    for (const reader of readers) assert.deepEqual(await readAll(reader), []);
    await late.end(true);
    passedMs += 600;
    for (const reader of readers) assert.deepEqual(await readAll(reader), [ids[0]]);
  });

  it('do not include removed events while another transaction stays open', async () => {
    for (let n = 0; n < 300; n++) await database.transaction(() => write('0a').run());
    const stored = await log.end();
    await sql`delete from event where pos % 2 = 0`.execute(database.query);
    const other = await hold('0b');
    const begun = await open();
    const reader = begun.reader(1, stored);
    assert.deepEqual([await readAll(reader), reader.position([])], [[], stored]);
    assert.deepEqual(await readAll(begun.reader(1, await begun.end())), []);
    await other.append();
    await other.end(false);
  });

  it('are read by a reader of the table, because the tail has advanced', async () => {
    const start = await log.end();
    const left = log.reader(1, start);
    assert.deepEqual(await readAll(left), []);
    const [late, early] = [await hold('0a'), await hold('0b')];
    const ids = [await late.append(), await early.append()];
    await early.end(true);
    passedMs += 10_000;
    const fresh = log.reader(1, start);
    for (const reader of [left, fresh]) assert.deepEqual(await readAll(reader), [ids[1]]);
    await late.end(true);
    for (const reader of [left, fresh]) assert.deepEqual(await readAll(reader), [ids[0]]);
  });

  it('are read once each and in the order of their device, with many writers', async () => {
    const start = await log.end();
    const live = log.reader(undefined, start);
    const devices = ['0a', '0b', '0c', '0d'];
    const written: string[] = [];
    const random = seeded(7);
    const writer = async () => {
      for (let n = 0; n < 40; n++) {
        const devEUI = devices[Math.floor(random() * devices.length)]!;
        const isUndone = random() < 0.2;
        const wait = Math.floor(random() * 20);
        let id = '';
        const work = database.transaction(async () => {
          await sql`select pg_current_xact_id(), pg_advisory_xact_lock(${Number.parseInt(devEUI, 16)})`.execute(
            database.query,
          );
          const one = write(devEUI);
          ({ id } = one);
          await one.run();
          for (let turns = 0; turns < wait; turns++) await turn();
          if (isUndone) throw new Error('undone');
        });
        await work.then(
          () => written.push(id),
          (error: unknown) => assert.match(String(error), /undone/),
        );
      }
    };
    let isDone = false;
    const read: string[] = [];
    const resumed: string[] = [];
    const reading = (async () => {
      let again = log.reader(undefined, start);
      while (!isDone) {
        read.push(...(await live.next(5)).map(({ id }) => id));
        // A reader that is abandoned and resumed at every step, from what it would have stored.
        const events = await again.next(3);
        const open = events.slice(1);
        resumed.push(...events.slice(0, 1).map(({ id }) => id));
        again = log.reader(undefined, again.position(open));
        if (random() < 0.02) passedMs += 10_000;
      }
      read.push(...(await readAll(live)));
      resumed.push(...(await readAll(again)));
    })();
    await Promise.all([writer(), writer(), writer(), writer(), writer()]);
    isDone = true;
    await reading;
    assert.deepEqual(read.toSorted(), written.toSorted());
    assert.deepEqual([...new Set(resumed)].toSorted(), written.toSorted());
    for (const devEUI of devices) {
      const own = (ids: string[]) => ids.filter((id) => id.startsWith(devEUI)).map((id) => Number(id.split('-')[2]));
      assert.deepEqual(
        own(read),
        own(read).toSorted((x, y) => x - y),
      );
    }
    assert.deepEqual((await readFrom(start)).toSorted(), written.toSorted());
  });
});

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
