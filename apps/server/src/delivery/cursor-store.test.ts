import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { createFakeClock } from '../../../../packages/network-server/src/testing/fake-clock.ts';
import type { LogPosition } from '../event-log/event-log.ts';
import { createTestDatabase } from '../testing/databases.ts';
import { CursorStore } from './cursor-store.ts';
import { healthy } from './health.ts';
import { type DeliveryState, loadState } from './state-rows.ts';
import { insertTestIntegration } from './testing/rig.ts';

/** The store of a new integration, whose position is `current.position`. */
async function setUp() {
  const database = await createTestDatabase('sqlite');
  const clock = createFakeClock();
  const at = clock.now();
  const id = await insertTestIntegration(database, 'FAKE', at);
  const eventLog = { positionAt: async () => '0' as LogPosition };
  const integration = { id, applicationID: undefined, kind: 'FAKE', config: {}, revision: 1 };
  const load = async () => (await loadState({ database, eventLog }, integration, at)) as DeliveryState;
  const current = { position: '0', isReading: false };
  const writes: boolean[] = [];
  const attemptLog = { isDirty: () => false, write: async (isLast: boolean) => void writes.push(isLast) };
  const store = new CursorStore(
    { database, clock, log: pino({ level: 'silent' }) },
    {
      integrationID: id,
      stored: await load(),
      attemptLog,
      takeSnapshot: () => ({
        position: current.position as LogPosition,
        lastReadPos: 7,
        doneAhead: [5],
        revision: 2,
        health: healthy(at),
        isReading: current.isReading,
      }),
    },
  );
  return {
    database,
    clock,
    store,
    load,
    current,
    writes,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

describe('the cursor store', () => {
  it('stores what has changed, at most five times a second', async () => {
    await using test = await setUp();
    const { clock, store, current, writes } = test;
    store.tick();
    assert.equal(writes.length, 0);
    current.position = '1';
    store.markDirty();
    store.tick();
    await store.store();
    assert.equal((await test.load()).position, '1');
    const before = writes.length;
    store.markDirty();
    await clock.advance(199);
    store.tick();
    assert.equal(writes.length, before);
    await clock.advance(1);
    store.tick();
    await store.store();
    assert.ok(writes.length > before);
    const { lastReadPos, doneAhead, revision } = await test.load();
    assert.deepEqual([lastReadPos, doneAhead, revision], [7, [5], 2]);
  });

  it('stores again after a read, whose position it has not stored', async () => {
    await using test = await setUp();
    const { clock, store, current } = test;
    current.isReading = true;
    store.markDirty();
    await store.store();
    Object.assign(current, { isReading: false, position: '3' });
    await clock.advance(200);
    store.tick();
    await store.close();
    assert.equal((await test.load()).position, '3');
  });

  it('stores at once after 500 completed events', async () => {
    await using test = await setUp();
    const { store, writes } = test;
    store.countCompleted(499);
    store.storeIfMany();
    assert.equal(writes.length, 0);
    store.countCompleted(1);
    store.storeIfMany();
    await store.close();
    assert.equal(writes.length, 2);
  });

  it('rejects when the storage fails, and stores the change with the next call', async () => {
    await using test = await setUp();
    const { database, store, current } = test;
    const { commit } = database;
    database.commit = () => Promise.reject(new Error('no storage'));
    current.position = '4';
    store.setOptions({ keepOrder: false, maxInFlight: 3 });
    await assert.rejects(store.store(), /no storage/);
    assert.equal((await test.load()).position, '0');
    database.commit = commit;
    await store.store();
    const { position, keepOrder, maxInFlight } = await test.load();
    assert.deepEqual([position, keepOrder, maxInFlight], ['4', false, 3]);
  });

  it('stores for the last time when it is closed', async () => {
    await using test = await setUp();
    const { store, current, writes } = test;
    store.markDirty();
    await store.close();
    assert.deepEqual(writes, [true]);
    current.position = '9';
    store.markDirty();
    await store.store();
    assert.equal((await test.load()).position, '0');
  });
});
