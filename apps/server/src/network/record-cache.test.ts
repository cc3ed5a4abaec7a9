import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../clock.ts';
import { cachedTotal } from '../resources/device/totals.ts';
import { createSecrets } from '../secrets.ts';
import {
  createTestDatabase,
  createTestStorage,
  databases,
  openTestDatabase,
  type TestStorage,
} from '../testing/databases.ts';
import { createNetworkState } from './state.ts';

const key = new Uint8Array(32).fill(7);
const secrets = createSecrets({ encryptionKey: key, tokenKey: key });

/** Two processes on one database with the same clock. */
async function openTwice(testStorage: TestStorage, monotonicMs: () => number) {
  await using parts = new AsyncDisposableStack();
  const open = async () => {
    const database = parts.use(await openTestDatabase(testStorage));
    return createNetworkState({ database, secrets, clock: { ...systemClock, monotonicMs } }, 1);
  };
  const [ownState, peerState] = [await open(), await open()];
  const all = parts.move();
  return { ownState, peerState, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

for (const kind of databases) {
  describe(`cached records on ${kind}`, () => {
    it('follow writes of another process after a moment', async () => {
      await using testStorage = await createTestStorage(kind);
      let nowMs = 0;
      await using states = await openTwice(testStorage, () => nowMs);
      const { ownState, peerState } = states;
      const write = (one: Parameters<typeof peerState.commit>[0]['writes'][number]) =>
        peerState.commit({ writes: [one], effects: [] });
      const save = (of: 'gateway' | 'serviceProfile', value: object) =>
        write({ kind: 'saveRecord', of, id: 'a', value: value as never });

      assert.equal(await ownState.get('gateway', 'a'), null);
      await save('serviceProfile', { drMax: 1 });
      assert.deepEqual(await ownState.get('serviceProfile', 'a'), { drMax: 1 });
      await save('serviceProfile', { drMax: 2 });
      await save('gateway', { id: 'a' });
      assert.deepEqual(await ownState.get('serviceProfile', 'a'), { drMax: 1 });
      assert.equal(await ownState.get('gateway', 'a'), null);
      nowMs += 5_000;
      assert.deepEqual(await ownState.get('serviceProfile', 'a'), { drMax: 2 });
      assert.deepEqual(await ownState.get('gateway', 'a'), { id: 'a' });
      await write({ kind: 'deleteRecord', of: 'gateway', id: 'a' });
      nowMs += 5_000;
      assert.equal(await ownState.get('gateway', 'a'), null);
    });

    if (kind === 'sqlite')
      it('are not read again while no other process writes', async (t) => {
        await using database = await createTestDatabase(kind);
        let nowMs = 0;
        const state = createNetworkState({ database, secrets, clock: { ...systemClock, monotonicMs: () => nowMs } }, 1);
        await state.commit({
          writes: [{ kind: 'saveRecord', of: 'serviceProfile', id: 'a', value: {} as never }],
          effects: [],
        });
        const read = t.mock.method(secrets, 'open');
        for (const ms of [0, 4_000, 5_000, 9_000, 60_000]) {
          nowMs = ms;
          assert.deepEqual(await state.get('serviceProfile', 'a'), {});
        }
        assert.equal(read.mock.callCount(), 1);
      });

    if (kind === 'postgres')
      it('are read again in the background before they expire', async () => {
        await using testStorage = await createTestStorage(kind);
        let nowMs = 0;
        await using states = await openTwice(testStorage, () => nowMs);
        const { ownState, peerState } = states;
        const save = (drMax: number) =>
          peerState.commit({
            writes: [{ kind: 'saveRecord', of: 'serviceProfile', id: 'a', value: { drMax } as never }],
            effects: [],
          });
        const get = async () => (await ownState.get('serviceProfile', 'a'))?.drMax;
        await save(1);
        assert.equal(await get(), 1);
        await save(2);
        nowMs = 3_999;
        assert.equal(await get(), 1);
        nowMs = 4_000;
        assert.equal(await get(), 1, 'what is known is answered at once');
        for (let tries = 0; tries < 500 && (await get()) !== 2; tries += 1) await sleep(10);
        assert.equal(await get(), 2);
      });

    it('do not contain writes of an open transaction, which reads them itself', async () => {
      await using database = await createTestDatabase(kind);
      const state = createNetworkState({ database, secrets, clock: systemClock }, 1);
      const save = (drMax: number) =>
        state.commit({
          writes: [{ kind: 'saveRecord', of: 'serviceProfile', id: 'a', value: { drMax } as never }],
          effects: [],
        });
      const get = () => state.get('serviceProfile', 'a');
      await save(1);
      const written = Promise.withResolvers<void>();
      const looked = Promise.withResolvers<void>();
      const undone = database.transaction(async () => {
        assert.deepEqual(await get(), { drMax: 1 });
        await save(2);
        assert.deepEqual(await get(), { drMax: 2 });
        written.resolve();
        await looked.promise;
        assert.deepEqual(await get(), { drMax: 2 });
        throw new Error('undone');
      });
      await Promise.race([written.promise, undone]);
      assert.deepEqual(await get(), { drMax: 1 });
      looked.resolve();
      await assert.rejects(undone, { message: 'undone' });
      assert.deepEqual(await get(), { drMax: 1 });
      await database.transaction(() => save(3));
      assert.deepEqual(await get(), { drMax: 3 });
    });

    it('are used again after a moment', async (t) => {
      await using database = await createTestDatabase(kind);
      let nowMs = 0;
      t.mock.method(performance, 'now', () => nowMs);
      let total = 1;
      const ask = () => cachedTotal(database, 'all', () => Promise.resolve(total));
      assert.equal(await ask(), 1);
      total = 2;
      assert.equal(await ask(), 1);
      nowMs = 5_000;
      assert.equal(await ask(), 2);
    });
  });
}
