import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeviceEventItem } from '@hilltop/contract';
import { createFakeClock } from '../../../../packages/network-server/src/testing/fake-clock.ts';
import { inProcessBus } from '../bus/in-process.ts';
import { takeLink } from '../event-log/chain.ts';
import { databases } from '../testing/databases.ts';
import { storedEvent } from '../testing/event.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { startTestApp } from '../testing/test-app.ts';
import { watchEvents } from './history.ts';
import { createMissedEvents } from './missed.ts';

const historySize = 10;

/** A server with watched devices, whose events another instance commits with or without publishing them. */
async function openField() {
  const app = await startTestApp('postgres');
  const surroundings = await createSurroundings(app);
  const { database, eventLog, log, metrics } = app.parts;
  let [checks, pending] = [0, 0];
  let isUnavailable = false;
  const execute: typeof database.execute = (compiled) => {
    checks += 1;
    if (isUnavailable) throw new Error('The database is unavailable.');
    pending += 1;
    return Promise.resolve(database.execute(compiled)).finally(() => (pending -= 1));
  };
  const counted = Object.assign(Object.create(database) as typeof database, { execute });
  const clock = createFakeClock(undefined, async () => {
    do await nextTurn();
    while (pending > 0);
  });
  const missedEvents = createMissedEvents({ database: counted, clock, log, metrics });
  const bus = inProcessBus((error) => assert.fail(String(error)));
  return {
    checks: () => checks,
    countMissed: () => metrics.total('live_events_told_late'),
    failStorage: () => (isUnavailable = true),
    restoreStorage: () => (isUnavailable = false),
    device: () => createDevice(app, surroundings),
    /** Commits the next event of a device without publishing it; returns it. */
    append: async (devEUI: string, fCnt: number) => {
      const link = (await takeLink(database).first({ devEUI, now: 1000 + fCnt }))!;
      const event = storedEvent(devEUI, `${link.stream_ms}-${link.event_seq}`, fCnt);
      await eventLog.append(event, link);
      return event;
    },
    publish: (event: ReturnType<typeof storedEvent>) => bus.publish('device-event', event.devEUI, event),
    watch: async (devEUI: string) => {
      const shown: number[] = [];
      const onEvent = ({ payloadJSON }: DeviceEventItem) =>
        shown.push((JSON.parse(payloadJSON) as { fCnt: number }).fCnt);
      const stop = await watchEvents({ database, bus, missedEvents, metrics, historySize }, devEUI, onEvent);
      return { shown, stop };
    },
    second: () => clock.advance(1000),
    [Symbol.asyncDispose]: async () => {
      missedEvents.stop();
      await app[Symbol.asyncDispose]();
    },
  };
}

for (const kind of databases.filter((database) => database === 'postgres'))
  describe(`events that another instance did not publish on ${kind}`, () => {
    it('are shown after two checks, in order and once', async () => {
      await using field = await openField();
      const [watchedDevice, otherDevice] = [await field.device(), await field.device()];
      await field.append(watchedDevice, 0);
      const watched = await field.watch(watchedDevice);
      const otherWatch = await field.watch(otherDevice);
      await field.second();
      const late = await field.append(watchedDevice, 1);
      await field.append(watchedDevice, 2);
      await field.append(otherDevice, 0);
      await field.second();
      assert.deepEqual([watched.shown, otherWatch.shown], [[0], []], 'they may still arrive');
      await field.second();
      assert.deepEqual([watched.shown, otherWatch.shown], [[0, 1, 2], [0]]);
      field.publish(late);
      field.publish(await field.append(watchedDevice, 3));
      await field.second();
      assert.deepEqual([watched.shown, otherWatch.shown], [[0, 1, 2, 3], [0]]);
      watched.stop();
      otherWatch.stop();
    });

    it('are searched only while devices are watched, with one query for all', async () => {
      await using field = await openField();
      for (let seconds = 0; seconds < 3; seconds += 1) await field.second();
      assert.equal(field.checks(), 0);
      const all = [await field.watch(await field.device()), await field.watch(await field.device())];
      await field.second();
      assert.equal(field.checks(), 1);
      for (const { stop } of all) stop();
      await field.second();
      await field.second();
      assert.equal(field.checks(), 2, 'the check that was due');
    });

    it('are searched again after a failed check, and counted', async () => {
      await using field = await openField();
      const watchedDevice = await field.device();
      const watched = await field.watch(watchedDevice);
      await field.second();
      await field.append(watchedDevice, 0);
      await field.second();
      field.failStorage();
      await field.second();
      assert.deepEqual(watched.shown, []);
      field.restoreStorage();
      await field.second();
      assert.deepEqual(watched.shown, [0]);
      assert.equal(await field.countMissed(), 1);
      watched.stop();
    });

    it('are limited to the last hundred of a device', async () => {
      await using field = await openField();
      const watchedDevice = await field.device();
      const watched = await field.watch(watchedDevice);
      for (let fCnt = 0; fCnt < 120; fCnt += 1) await field.append(watchedDevice, fCnt);
      await field.second();
      await field.second();
      assert.deepEqual(
        watched.shown,
        Array.from({ length: 100 }, (_, index) => index + 20),
      );
      watched.stop();
    });
  });
