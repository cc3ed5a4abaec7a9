import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { commit, type WithState } from './conformance-cases.ts';
import { buildDevice, buildItem, buildSession, devEUI, saveDevice } from './conformance-samples.ts';
import type { Write } from './state.ts';

export function describeUnit(name: string, withState: WithState): void {
  describe(`${name}: unit`, () => {
    withState('effects happen with the writes', async ({ state, effect }) => {
      const { effect: one, happened } = effect();
      assert.equal(await state.commit({ writes: [saveDevice({})], effects: [one] }), true);
      assert.equal(await happened(), true);
    });
    withState('a lost race writes nothing at all', async ({ state, effect }) => {
      const [id = 0] = await state.receive(['a']);
      const { effect: one, happened } = effect();
      const writes: Write[] = [
        saveDevice({}),
        { kind: 'finish', ids: [id] },
        { kind: 'saveSession', session: buildSession({}) },
      ];
      assert.equal(await state.commit({ writes, effects: [one] }), false);
      assert.equal(await happened(), false);
      assert.equal(await state.get('device', devEUI), null);
      assert.equal((await state.unfinished(0, 9)).length, 1);
    });
    withState('a unit that loses does not take another one along', async ({ state }) => {
      const session = buildSession({});
      await commit(state, { kind: 'insertSession', session });
      const outcomes = await Promise.all([
        commit(state, { kind: 'saveSession', session: { ...session, revision: 99 } }),
        commit(state, saveDevice({})),
        commit(state, { kind: 'saveSession', session }),
      ]);
      assert.deepEqual(outcomes, [false, true, true]);
    });
    withState('a counter is spent with the item that goes out under it, or not at all', async ({ state }) => {
      const session = buildSession({ spent: {} });
      const item = buildItem({ sessionID: session.id });
      await commit(state, { kind: 'insertSession', session }, { kind: 'insertQueueItem', item });
      const spent = { nFCntDown: { fCnt: 0, digest: '00112233445566778899aabbccddeeff' } };
      const writes: Write[] = [
        { kind: 'updateQueueItem', item: { ...item, hasLeft: true } },
        { kind: 'saveSession', session: { ...session, nFCntDown: 1, spent } },
      ];
      assert.equal(await commit(state, ...writes), true);
      assert.deepEqual((await state.sessions(devEUI)).current?.spent, spent);
      assert.equal((await state.queue(devEUI))[0]?.hasLeft, true);
      const late = { ...session, nFCntDown: 9 };
      const lost: Write[] = [
        { kind: 'updateQueueItem', item },
        { kind: 'saveSession', session: late },
      ];
      assert.equal(await commit(state, ...lost), false);
      assert.equal((await state.sessions(devEUI)).current?.nFCntDown, 1);
      assert.equal((await state.queue(devEUI))[0]?.hasLeft, true);
    });
    withState('a flushed item can come back under its id in the same unit', async ({ state }) => {
      const item = buildItem({});
      await commit(state, { kind: 'insertQueueItem', item });
      const moved = { ...item, sessionID: 'b', frmPayload: Uint8Array.of(7) };
      await commit(state, { kind: 'flushQueue', devEUI }, { kind: 'insertQueueItem', item: moved });
      assert.deepEqual(await state.queue(devEUI), [moved]);
    });
    withState('survives a restart', async ({ state, reopen }) => {
      if (!reopen) return;
      const session = buildSession({});
      await commit(state, saveDevice({}), { kind: 'insertSession', session });
      await state.receive(['a']);
      const after = await reopen();
      assert.deepEqual(await after.get('device', devEUI), buildDevice({}));
      assert.deepEqual((await after.sessions(devEUI)).current, session);
      assert.deepEqual(
        (await after.unfinished(0, 9)).map(({ copy }) => copy),
        ['a'],
      );
    });
  });
}
