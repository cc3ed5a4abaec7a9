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

/** Devices whose events are watched, and a bus that others tell events by, or fail to. */
async function openField() {
  const app = await startTestApp('postgres');
  const surroundings = await createSurroundings(app);
  const { database, eventLog, log, metrics } = app.needs;
  let [looks, unanswered] = [0, 0];
  let isAway = false;
  const execute: typeof database.execute = (compiled) => {
    looks += 1;
    if (isAway) throw new Error('The database is away.');
    unanswered += 1;
    return Promise.resolve(database.execute(compiled)).finally(() => (unanswered -= 1));
  };
  const counted = Object.assign(Object.create(database) as typeof database, { execute });
  const clock = createFakeClock(undefined, async () => {
    do await nextTurn();
    while (unanswered > 0);
  });
  const missedEvents = createMissedEvents({ database: counted, clock, log, metrics });
  const bus = inProcessBus((error) => assert.fail(String(error)));
  return {
    looks: () => looks,
    toldLate: () => metrics.total('live_events_told_late'),
    goAway: () => (isAway = true),
    comeBack: () => (isAway = false),
    device: () => createDevice(app, surroundings),
    /** Commits the next event of a device and tells nobody; answers it. */
    append: async (devEUI: string, fCnt: number) => {
      const link = (await takeLink(database).first({ devEUI, now: 1000 + fCnt }))!;
      const event = storedEvent(devEUI, `${link.stream_ms}-${link.event_seq}`, fCnt);
      await eventLog.append(event, link);
      return event;
    },
    addMissed: (event: ReturnType<typeof storedEvent>) => bus.publish('device-event', event.devEUI, event),
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

for (const kind of databases.filter((one) => one === 'postgres'))
  describe(`events that others did not tell on ${kind}`, () => {
    it('are shown after two looks, in their order, and once', async () => {
      await using field = await openField();
      const [one, other] = [await field.device(), await field.device()];
      await field.append(one, 0);
      const watched = await field.watch(one);
      const beside = await field.watch(other);
      await field.second();
      const late = await field.append(one, 1);
      await field.append(one, 2);
      await field.append(other, 0);
      await field.second();
      assert.deepEqual([watched.shown, beside.shown], [[0], []], 'they may be on their way');
      await field.second();
      assert.deepEqual([watched.shown, beside.shown], [[0, 1, 2], [0]]);
      field.addMissed(late);
      field.addMissed(await field.append(one, 3));
      await field.second();
      assert.deepEqual([watched.shown, beside.shown], [[0, 1, 2, 3], [0]]);
      watched.stop();
      beside.stop();
    });

    it('are looked for while somebody watches, and at one time for all', async () => {
      await using field = await openField();
      for (let seconds = 0; seconds < 3; seconds += 1) await field.second();
      assert.equal(field.looks(), 0);
      const all = [await field.watch(await field.device()), await field.watch(await field.device())];
      await field.second();
      assert.equal(field.looks(), 1);
      for (const { stop } of all) stop();
      await field.second();
      await field.second();
      assert.equal(field.looks(), 2, 'the one that was due');
    });

    it('are looked for again after a look that failed, and counted', async () => {
      await using field = await openField();
      const one = await field.device();
      const watched = await field.watch(one);
      await field.second();
      await field.append(one, 0);
      await field.second();
      field.goAway();
      await field.second();
      assert.deepEqual(watched.shown, []);
      field.comeBack();
      await field.second();
      assert.deepEqual(watched.shown, [0]);
      assert.equal(await field.toldLate(), 1);
      watched.stop();
    });

    it('are the last hundred when there are more', async () => {
      await using field = await openField();
      const one = await field.device();
      const watched = await field.watch(one);
      for (let fCnt = 0; fCnt < 120; fCnt += 1) await field.append(one, fCnt);
      await field.second();
      await field.second();
      assert.deepEqual(
        watched.shown,
        Array.from({ length: 100 }, (_, place) => place + 20),
      );
      watched.stop();
    });
  });
