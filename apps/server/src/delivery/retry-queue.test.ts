import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { createFakeClock } from '../../../../packages/network-server/src/testing/fake-clock.ts';
import { Unreachable } from '../database/unreachable.ts';
import { createTestDatabase } from '../testing/databases.ts';
import { loggedEvent } from '../testing/logged-events.ts';
import type { QueuedEvent } from './device-queues.ts';
import { RetryQueue } from './retry-queue.ts';
import { readRetryAndDeadLetterReferences } from './retry-rows.ts';
import { insertTestIntegration } from './testing/rig.ts';

const queued = (devEUI: string, pos: number): QueuedEvent => ({
  event: { ...loggedEvent('up'), id: `${devEUI}-${pos}`, devEUI, pos },
  readIndex: pos,
  attempts: 1,
  doneParts: ['first'],
  soleFailures: 0,
  isSentAlone: false,
});
const reason = { status: 422, message: 'refused' };

/** The retry queue of a new integration. */
async function setUp() {
  const database = await createTestDatabase('sqlite');
  const clock = createFakeClock();
  const at = clock.now();
  const id = await insertTestIntegration(database, 'FAKE', at);
  const stopping = new AbortController();
  const sizes: number[] = [];
  const notes: string[] = [];
  const create = async () =>
    new RetryQueue(
      { database, clock, log: pino({ level: 'silent' }) },
      {
        integrationID: id,
        stored: (await readRetryAndDeadLetterReferences(database, id)).filter(({ isDead }) => !isDead),
        attemptLog: { addNote: (outcome, message) => void notes.push(`${outcome} ${message}`) },
        signal: stopping.signal,
        onSizeChange: (size) => void sizes.push(size),
      },
    );
  const in10s = new Date(at.getTime() + 10_000);
  const rows = () =>
    database.query.selectFrom('delivery_parked').select(['pos', 'failures', 'done', 'dead_at', 'status']).execute();
  return {
    database,
    clock,
    stopping,
    sizes,
    notes,
    create,
    in10s,
    rows,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

describe('the retry queue', () => {
  it('returns the oldest event of a device when its delay is over', async () => {
    await using test = await setUp();
    const { clock, in10s } = test;
    const retries = await test.create();
    assert.equal(await retries.add('a', [queued('a', 1), queued('a', 2)], reason, in10s), true);
    assert.deepEqual([retries.size, retries.has('a'), retries.has('b')], [2, true, false]);
    assert.equal(retries.queues.nextDueAt(), in10s.getTime());
    assert.equal(retries.queues.promoteDue(in10s.getTime() - 1), false);
    assert.equal(retries.queues.promoteDue(in10s.getTime()), true);
    const queue = retries.queues.acquire()!;
    const row = (await retries.oldest(queue))!;
    assert.deepEqual(
      [row.event.pos, row.attempts, row.failures, row.status, row.message, row.doneParts],
      [1, 1, 1, 422, 'refused', ['first']],
    );
    assert.equal(await retries.complete(queue, row), true);
    retries.queues.release(queue);
    const next = (await retries.oldest(retries.queues.acquire()!))!;
    assert.deepEqual([next.event.pos, next.message, next.nextAt], [2, '', in10s]);
    assert.deepEqual(test.sizes, [2, 1]);
    assert.ok(clock.now() < in10s);
  });

  it('continues with the stored rows in another process', async () => {
    await using test = await setUp();
    const first = await test.create();
    await first.add('a', [queued('a', 1)], reason, test.in10s);
    await first.addDeadLetter(queued('a', 2), reason);
    const second = await test.create();
    assert.deepEqual([second.size, second.queues.nextDueAt()], [1, test.in10s.getTime()]);
  });

  it('postpones a retry that failed, and finally moves it to the dead letters', async () => {
    await using test = await setUp();
    const retries = await test.create();
    await retries.add('a', [queued('a', 1)], reason);
    retries.queues.promoteDue(test.in10s.getTime());
    const queue = retries.queues.acquire()!;
    const row = (await retries.oldest(queue))!;
    await retries.postpone(queue, { ...row, failures: 2, nextAt: test.in10s });
    retries.queues.release(queue);
    assert.deepEqual([retries.queues.acquire(), retries.queues.nextDueAt()], [undefined, test.in10s.getTime()]);
    retries.queues.promoteDue(test.in10s.getTime());
    await retries.moveToDeadLetters(retries.queues.acquire()!, { ...row, failures: 3 });
    assert.equal(retries.size, 0);
    const [stored, ...others] = await test.rows();
    assert.deepEqual([stored!.failures, stored!.dead_at !== null, others], [3, true, []]);
  });

  it('moves events beyond a thousand of a device to the dead letters', async () => {
    await using test = await setUp();
    const retries = await test.create();
    const events = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => queued('a', from + index));
    await retries.add('a', events(1, 999), reason, test.in10s);
    await retries.add('a', events(1000, 3), reason, test.in10s);
    assert.equal(retries.size, 1000);
    assert.deepEqual(test.notes, Array(2).fill('DEAD Too many events of this device wait already.'));
    const dead = (await test.rows()).filter(({ dead_at }) => dead_at !== null).map(({ pos }) => pos);
    assert.deepEqual(dead, [1001, 1002]);
  });

  it('waits for rows that are being written, and drops rows that others have deleted', async () => {
    await using test = await setUp();
    const retries = await test.create();
    const { commit } = test.database;
    const mayWrite = Promise.withResolvers<void>();
    test.database.commit = async (unit) => {
      await mayWrite.promise;
      return commit(unit);
    };
    const added = retries.add('a', [queued('a', 1)], reason, test.in10s);
    const queue = retries.queues.find('a')!;
    assert.equal(await retries.oldest(queue), undefined);
    assert.deepEqual([retries.size, queue.notBefore], [1, test.clock.now().getTime() + 100]);
    mayWrite.resolve();
    await added;
    await test.database.query.deleteFrom('delivery_parked').execute();
    assert.equal(await retries.oldest(queue), undefined);
    assert.equal(retries.size, 0);
  });

  it('returns no event while an older one of its device is being written', async () => {
    await using test = await setUp();
    const retries = await test.create();
    const { commit } = test.database;
    test.database.commit = () => Promise.reject(new Unreachable(undefined));
    const older = retries.add('a', [queued('a', 1)], reason, test.in10s);
    test.database.commit = commit;
    await retries.add('a', [queued('a', 2)], reason, test.in10s);
    const queue = retries.queues.find('a')!;
    assert.equal(await retries.oldest(queue), undefined);
    assert.deepEqual([retries.size, queue.notBefore], [2, test.clock.now().getTime() + 100]);
    await test.clock.advance(1000);
    await older;
    assert.equal((await retries.oldest(queue))?.event.pos, 1);
  });

  it('retries a write until the storage is available, and gives up when the integration stops', async () => {
    await using test = await setUp();
    const retries = await test.create();
    const { commit } = test.database;
    let attempts = 0;
    test.database.commit = (unit) => {
      attempts += 1;
      return attempts <= 2 ? Promise.reject(new Unreachable(undefined)) : commit(unit);
    };
    const added = retries.add('a', [queued('a', 1)], reason);
    await test.clock.advance(2000);
    assert.deepEqual([await added, attempts], [true, 3]);
    test.database.commit = () => Promise.reject(new Unreachable(undefined));
    const second = retries.add('b', [queued('b', 2)], reason);
    test.stopping.abort();
    await test.clock.advance(1000);
    assert.equal(await second, false);
  });

  it('retries requeued dead letters', async () => {
    await using test = await setUp();
    const retries = await test.create();
    await retries.addDeadLetter(queued('a', 1), reason);
    assert.equal(retries.size, 0);
    await test.database.query.updateTable('delivery_parked').set({ dead_at: null }).execute();
    retries.requeue([{ pos: 1, devEUI: 'a', nextAt: test.clock.now(), isDead: false }]);
    retries.queues.promoteDue(test.clock.now().getTime());
    assert.equal((await retries.oldest(retries.queues.acquire()!))?.event.pos, 1);
  });
});
