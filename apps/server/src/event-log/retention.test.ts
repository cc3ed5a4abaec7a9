import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { sql } from 'kysely';
import pino from 'pino';
import { systemClock } from '../clock.ts';
import { type Config, settings } from '../config.ts';
import { createSteadyTime } from '../database/steady-time.ts';
import { readHistory } from '../events/history.ts';
import { createMetrics } from '../metrics.ts';
import { databases } from '../testing/databases.ts';
import { pendingEvent, storedEvent } from '../testing/event.ts';
import { createDevice, createSurroundings, type FieldContext } from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { takeLink } from './chain.ts';
import type { LogPosition } from './event-log.ts';
import { createEventLog, type RunningEventLog } from './log.ts';

const hour = 3_600_000;

for (const kind of databases) {
  describe(`cutting the event log on ${kind}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    const time = { wallMs: Date.now(), monotonicMs: 0 };
    const clock = { ...systemClock, now: () => new Date(time.wallMs), monotonicMs: () => time.monotonicMs };
    const pass = (ms: number) => {
      time.wallMs += ms;
      time.monotonicMs += ms;
    };
    let log: RunningEventLog;
    let warned: string[];
    const metrics = () => shown.text();
    let shown: ReturnType<typeof createMetrics>;
    const open = async (config: Partial<Config> = {}) => {
      const { database } = app.parts;
      const around = {
        database,
        clock,
        log: pino({ level: 'warn' }, { write: (line) => warned.push(line) }),
        steadyTime: createSteadyTime({ database, clock, log: pino({ level: 'silent' }) }),
      };
      shown = createMetrics();
      return createEventLog({ ...around, config: { ...settings.parse({}), ...config }, metrics: shown });
    };

    before(async () => {
      app = await startTestApp(kind);
      await (app.parts.eventLog as RunningEventLog).stop();
      surroundings = await createSurroundings(app);
    });
    beforeEach(async () => {
      warned = [];
      log = await open();
    });
    afterEach(async () => {
      const { query } = app.parts.database;
      for (const table of ['event_mark', 'retention', 'device'] as const) await query.deleteFrom(table).execute();
      // Numbers start again: to the log, rows that were removed by others may still appear.
      if (kind === 'postgres') await sql`truncate event restart identity`.execute(query);
      else await query.deleteFrom('event').execute();
    });
    after(() => app[Symbol.asyncDispose]());

    /** Appends this many uplinks of the device in one transaction. */
    const append = async (devEUI: string, count: number, details: object = {}) => {
      const { database } = app.parts;
      await database.transaction(async () => {
        for (let n = 0; n < count; n++) {
          const link = (await takeLink(database).first({ devEUI, now: time.wallMs }))!;
          await log.append({ ...storedEvent(devEUI, `${time.wallMs}-${link.event_seq}`), ...details }, link);
        }
      });
    };
    const error = (devEUI: string, n: number) => ({
      ...pendingEvent('error', devEUI, { type: 'UPLINK_MIC', error: 'wrong code' }),
      id: `${devEUI}-${time.wallMs + n}-0`,
    });
    /** The numbers of the remaining events of the device. */
    const left = async (devEUI: string) => {
      const rows = app.parts.database.query.selectFrom('event').select('seq').where('dev_eui', '=', devEUI);
      return (await rows.orderBy('pos').execute()).map(({ seq }) => seq);
    };
    const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

    it('keeps recent events, and always the last ten of each device', async () => {
      const [busy, quiet] = [await createDevice(app, surroundings), await createDevice(app, surroundings)];
      await append(quiet, 12);
      await append(busy, 1200);
      for (let n = 0; n < 3; n++) await app.parts.database.transaction(() => log.append(error(busy, n)));
      await log.sweep();
      pass(23 * hour);
      await append(busy, 5);
      await log.sweep();
      assert.equal((await left(quiet)).length + (await left(busy)).length, 12 + 1200 + 3 + 5);
      pass(hour);
      await log.sweep();
      assert.deepEqual(await left(quiet), numbers(3, 12));
      assert.deepEqual(await left(busy), numbers(1196, 1205));
      pass(24 * hour);
      await append(busy, 20);
      await log.sweep();
      pass(24 * hour);
      await log.sweep();
      assert.deepEqual([await left(quiet), await left(busy)], [numbers(3, 12), numbers(1216, 1225)]);
      assert.match(await metrics(), /^hilltop_event_log_rows 20$/m);
      assert.deepEqual(warned, []);
    });

    it('keeps as many as streams start with, if these are more', async () => {
      log = await open({ eventHistory: 50, eventLogKeep: 0 });
      const devEUI = await createDevice(app, surroundings);
      await append(devEUI, 80);
      await log.sweep();
      assert.deepEqual(await left(devEUI), numbers(31, 80));
    });

    it('keeps unread events of an integration, up to the longest retention', async () => {
      log = await open({ eventLogKeep: hour, deliveryMaxAge: 10 * hour });
      const devEUI = await createDevice(app, surroundings);
      const reader = log.reader(undefined, await log.end());
      await append(devEUI, 30);
      const [, , third] = await reader.next(30);
      const stop = log.retain(() => Promise.resolve([reader.position([third!])]));
      await log.sweep();
      pass(2 * hour);
      await log.sweep();
      assert.deepEqual(await left(devEUI), numbers(3, 30));
      pass(8 * hour);
      await log.sweep();
      assert.deepEqual(await left(devEUI), numbers(21, 30));
      pass(hour);
      await append(devEUI, 20);
      stop();
      await log.sweep();
      pass(2 * hour);
      await log.sweep();
      assert.deepEqual(await left(devEUI), numbers(41, 50));
    });

    it('keeps a gap that a reader waits for, and everything after it', async () => {
      log = await open({ eventLogKeep: 0 });
      const devEUI = await createDevice(app, surroundings);
      await append(devEUI, 30);
      const { pos } = (await app.parts.database.query
        .selectFrom('event')
        .select('pos')
        .where('seq', '=', 5)
        .executeTakeFirst())!;
      const stop = log.retain(() => Promise.resolve([`${pos + 9}:${pos}` as LogPosition]));
      await log.sweep();
      assert.deepEqual(await left(devEUI), numbers(5, 30));
      stop();
    });

    it('removes the events of a removed device, and shows none of them to another with its EUI', async () => {
      const devEUI = await createDevice(app, surroundings);
      await append(devEUI, 15);
      assert.equal((await readHistory(app.parts.database, devEUI, 10)).length, 10);
      await app.call(operations.device.delete, { devEUI });
      await createDevice(app, surroundings, { devEUI });
      assert.deepEqual(await readHistory(app.parts.database, devEUI, 10_000), []);
      await append(devEUI, 2);
      assert.equal((await readHistory(app.parts.database, devEUI, 10_000)).length, 2);
      await log.sweep();
      pass(25 * hour);
      await log.sweep();
      assert.deepEqual(await left(devEUI), [1, 2]);
      await app.call(operations.device.delete, { devEUI });
      pass(25 * hour);
      await log.sweep();
      assert.deepEqual(await left(devEUI), []);
    });

    it('removes nothing when the clock is set forward, and events of such a time do not prevent removal', async () => {
      const devEUI = await createDevice(app, surroundings);
      await append(devEUI, 30);
      await log.sweep();
      time.wallMs += 365 * 24 * hour;
      await append(devEUI, 10);
      await log.sweep();
      assert.equal((await left(devEUI)).length, 40);
      log = await open();
      await log.sweep();
      assert.equal((await left(devEUI)).length, 40);
      time.wallMs -= 365 * 24 * hour;
      pass(hour);
      await append(devEUI, 5);
      await log.sweep();
      pass(25 * hour);
      await log.sweep();
      assert.deepEqual(await left(devEUI), numbers(36, 45));
    });

    it('keeps few marks during a long time without events', async () => {
      for (let n = 0; n < 60; n++) {
        await log.sweep();
        pass(hour);
      }
      const marks = await app.parts.database.query.selectFrom('event_mark').selectAll().execute();
      assert.ok(marks.length <= 26, `${marks.length} marks`);
    });

    it('removes the oldest events above the size limit, on SQLite', async () => {
      const devEUI = await createDevice(app, surroundings);
      log = await open({ eventLogMax: 1_000_000 });
      const stop = log.retain(async () => [await log.positionAt(new Date(0))]);
      const json = () => JSON.stringify({ text: 'x'.repeat(1000) });
      await append(devEUI, 1500, { json });
      await log.sweep();
      const { length } = await left(devEUI);
      if (kind === 'sqlite') {
        assert.ok(length > 700 && length * 1200 < 1_000_000, `${length} left`);
        assert.match(warned.join(), /close to its size limit/);
      } else assert.equal(length, 1500);
      assert.equal((await left(devEUI)).at(-1), 1500);
      stop();
    });

    it('removes nothing while the needed positions are unknown', async () => {
      log = await open({ eventLogKeep: 0 });
      const devEUI = await createDevice(app, surroundings);
      await append(devEUI, 30);
      const stop = log.retain(() => Promise.reject(new Error('away')));
      await assert.rejects(log.sweep(), /away/);
      assert.equal((await left(devEUI)).length, 30);
      stop();
    });
  });
}
