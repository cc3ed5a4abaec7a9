import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { createFakeClock } from '../../../../packages/network-server/src/testing/fake-clock.ts';
import type { LoggedEvent, LogPosition } from '../event-log/event-log.ts';
import { loggedEvent } from '../testing/logged-events.ts';
import { EventReader } from './event-reader.ts';
import { LogCursor } from './log-cursor.ts';

const eventAt = (pos: number): LoggedEvent => ({ ...loggedEvent('up'), pos });

/** A reader of a log of `available` events, which opens each event that it reads. */
function setUp(available: number, doneEarlier: number[] = []) {
  const clock = createFakeClock();
  const log = { available, read: 0, limits: [] as number[], fails: false, beforeAnswer: async () => {} };
  const cursor = new LogCursor(
    {
      next: async (limit) => {
        log.limits.push(limit);
        if (log.fails) throw new Error('no storage');
        const first = log.read;
        log.read = Math.min(log.available, first + limit);
        const events = Array.from({ length: log.read - first }, (_, index) => eventAt(first + index + 1));
        await log.beforeAnswer();
        return events;
      },
      position: (open) => String(Math.min(log.read, ...Array.from(open, ({ pos }) => pos - 1))) as LogPosition,
    },
    doneEarlier,
  );
  const opened: number[] = [];
  const reader = new EventReader({ clock, log: pino({ level: 'silent' }) }, cursor, (events) => {
    for (const event of events) {
      if (cursor.open.skipIfDone(event)) continue;
      cursor.open.add(event);
      opened.push(event.pos);
    }
  });
  const complete = (count: number) => {
    for (let events = 0; events < count; events += 1) cursor.open.complete(cursor.open.oldest()!);
  };
  return { clock, log, cursor, reader, opened, complete };
}

describe('the event reader', () => {
  it('reads page by page to the end of the log', async () => {
    const { log, reader, opened } = setUp(700);
    reader.wake();
    await reader.idle();
    assert.deepEqual([opened.length, log.limits], [700, [500, 500, 500]]);
  });

  it('reads no more than 2048 events beyond the oldest open one, and continues when a page fits', async () => {
    const { reader, opened, complete } = setUp(5000);
    reader.wake();
    await reader.idle();
    assert.equal(opened.length, 2000);
    complete(400);
    reader.continue();
    await reader.idle();
    assert.equal(opened.length, 2000);
    complete(100);
    reader.continue();
    await reader.idle();
    assert.equal(opened.length, 2500);
  });

  it('counts completed events towards the limit while an earlier one is open', async () => {
    const { cursor, reader, opened } = setUp(5000);
    reader.wake();
    await reader.idle();
    const [, ...laterEvents] = cursor.open.events();
    for (const { pos } of laterEvents) {
      const queued = {
        event: eventAt(pos),
        readIndex: pos - 1,
        attempts: 0,
        doneParts: [],
        soleFailures: 0,
        isSentAlone: false,
      };
      cursor.open.complete(queued);
    }
    reader.continue();
    await reader.idle();
    assert.equal(opened.length, 2048);
  });

  it('reads once a second at the end of the log, and at once when it is woken', async () => {
    const { clock, log, reader } = setUp(0);
    reader.tick();
    await reader.idle();
    await clock.advance(999);
    reader.tick();
    reader.continue();
    assert.equal(log.limits.length, 1);
    await clock.advance(1);
    reader.tick();
    await reader.idle();
    assert.equal(log.limits.length, 2);
    reader.wake();
    await reader.idle();
    assert.equal(log.limits.length, 3);
  });

  it('reads again when it is woken during a read that finds nothing', async () => {
    const { log, reader, opened } = setUp(0);
    log.beforeAnswer = async () => {
      log.beforeAnswer = async () => {};
      log.available = 1;
      reader.wake();
    };
    reader.wake();
    await reader.idle();
    assert.deepEqual(opened, [1]);
  });

  it('reads nothing while it is paused for any reason', async () => {
    const { reader, opened } = setUp(3);
    reader.setPaused('suspended', true);
    reader.setPaused('retry queue full', true);
    reader.wake();
    reader.setPaused('suspended', false);
    reader.tick();
    await reader.idle();
    assert.deepEqual(opened, []);
    reader.setPaused('retry queue full', false);
    reader.tick();
    await reader.idle();
    assert.deepEqual(opened, [1, 2, 3]);
  });

  it('retries a read that fails with the next tick', async () => {
    const { log, reader, opened } = setUp(1);
    log.fails = true;
    reader.wake();
    await reader.idle();
    log.fails = false;
    reader.tick();
    await reader.idle();
    assert.deepEqual(opened, [1]);
  });

  it('skips what an earlier process has completed, until the end of the log', async () => {
    const { reader, cursor, opened, complete } = setUp(4, [2, 4, 99]);
    reader.wake();
    await reader.idle();
    assert.deepEqual(opened, [1, 3]);
    assert.deepEqual([cursor.position(), cursor.open.doneAhead()], ['0', [2, 4]]);
    complete(2);
    assert.deepEqual([cursor.position(), cursor.open.doneAhead()], ['4', []]);
  });

  it('keeps the position of the cursor until the events of a read are open', async () => {
    const { log, reader, cursor } = setUp(2);
    log.beforeAnswer = async () => {
      assert.deepEqual([cursor.position(), cursor.isReading()], ['0', true]);
    };
    reader.wake();
    await reader.idle();
    assert.deepEqual([cursor.position(), cursor.isReading(), cursor.open.size], ['0', false, 2]);
  });
});
