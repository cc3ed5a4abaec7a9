import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { commit, type WithState } from './conformance-cases.ts';
import { buildDevice, buildItem, buildSession, devEUI, gateway, nonce, saveDevice } from './conformance-samples.ts';

export function describeRecords(name: string, withState: WithState): void {
  describe(`${name}: records`, () => {
    withState('answers null for what is not there', async ({ state }) => {
      assert.equal(await state.get('device', devEUI), null);
    });
    withState('saves, replaces and deletes', async ({ state }) => {
      assert.equal(await commit(state, saveDevice({ isDisabled: false })), true);
      assert.deepEqual(await state.get('device', devEUI), buildDevice({ isDisabled: false }));
      await commit(state, saveDevice({ isDisabled: true }));
      assert.equal((await state.get('device', devEUI))?.isDisabled, true);
      await commit(state, { kind: 'deleteRecord', of: 'device', id: devEUI });
      assert.equal(await state.get('device', devEUI), null);
      assert.equal(await commit(state, { kind: 'deleteRecord', of: 'device', id: devEUI }), true);
    });
    withState('keeps kinds apart and nested values whole', async ({ state }) => {
      await commit(state, { kind: 'saveRecord', of: 'gateway', id: devEUI, value: gateway }, saveDevice({}));
      assert.deepEqual(await state.get('gateway', devEUI), gateway);
      assert.deepEqual(await state.get('device', devEUI), buildDevice({}));
    });
    withState('a deleted device takes its sessions, queue and nonces along', async ({ state }) => {
      await commit(
        state,
        saveDevice({}),
        { kind: 'insertSession', session: buildSession({}) },
        { kind: 'insertQueueItem', item: buildItem({}) },
        { kind: 'saveActivation', activation: { ...nonce, devAddr: '01020304', at: 1 } },
      );
      await commit(state, { kind: 'deleteRecord', of: 'device', id: devEUI });
      assert.deepEqual(await state.sessions(devEUI), { current: null, pending: null, replaced: null });
      assert.deepEqual(await state.queue(devEUI), []);
      assert.equal(await state.devNonceUsedAt(nonce), null);
    });
    withState('a deleted gateway is no longer seen', async ({ state }) => {
      const seen = { firstSeenAt: 1, lastSeenAt: 2 };
      await commit(
        state,
        { kind: 'saveRecord', of: 'gateway', id: devEUI, value: gateway },
        { kind: 'saveRecord', of: 'gatewaySeen', id: devEUI, value: seen },
      );
      assert.deepEqual(await state.get('gatewaySeen', devEUI), seen);
      await commit(state, { kind: 'deleteRecord', of: 'gateway', id: devEUI });
      assert.equal(await state.get('gatewaySeen', devEUI), null);
    });
  });
}

export function describeQueue(name: string, withState: WithState): void {
  describe(`${name}: queue`, () => {
    withState('lists by FCnt', async ({ state }) => {
      const items = [buildItem({ id: 'x', fCnt: 3 }), buildItem({ id: 'y', fCnt: 1, frmPayload: Uint8Array.of() })];
      for (const item of items) await commit(state, { kind: 'insertQueueItem', item });
      assert.deepEqual(await state.queue(devEUI), [items[1], items[0]]);
      assert.deepEqual(await state.queue('1111111111111111'), []);
    });
    withState('updates only what is still there', async ({ state }) => {
      await commit(state, { kind: 'insertQueueItem', item: buildItem({ id: 'x', fCnt: 1 }) });
      const changed = buildItem({
        id: 'x',
        fCnt: 7,
        hasLeft: true,
        isForNextSession: true,
        isPending: true,
        timeoutAt: 5,
        frmPayload: Uint8Array.of(9),
      });
      await commit(state, { kind: 'updateQueueItem', item: changed });
      assert.deepEqual(await state.queue(devEUI), [changed]);
      await commit(state, { kind: 'deleteQueueItem', devEUI, id: 'x' });
      await commit(state, { kind: 'updateQueueItem', item: changed });
      assert.deepEqual(await state.queue(devEUI), []);
    });
    withState(
      'refuses to change a removed item, and to remove a changed one, where that is guarded',
      async ({ state }) => {
        await commit(state, { kind: 'insertQueueItem', item: buildItem({ id: 'x', fCnt: 1 }) });
        const [read] = await state.queue(devEUI);
        const changed = { ...read!, hasLeft: true };
        await commit(state, { kind: 'updateQueueItem', item: changed, isGuarded: true });
        const other = { kind: 'insertQueueItem', item: buildItem({ id: 'y', fCnt: 2 }) } as const;
        const remove = { kind: 'deleteQueueItem', devEUI, id: 'x' } as const;
        assert.equal(await commit(state, other, { ...remove, unchanged: read! }), false);
        assert.deepEqual(await state.queue(devEUI), [changed]);
        assert.equal(await commit(state, { ...remove, unchanged: (await state.queue(devEUI))[0]! }), true);
        assert.equal(await commit(state, { ...remove, unchanged: changed }), false);
        assert.equal(await commit(state, other, { kind: 'updateQueueItem', item: changed, isGuarded: true }), false);
        assert.deepEqual(await state.queue(devEUI), []);
      },
    );
    withState('flushes one device', async ({ state }) => {
      const other = buildItem({ id: 'z', devEUI: '1111111111111111' });
      await commit(
        state,
        { kind: 'insertQueueItem', item: buildItem({ id: 'x', fCnt: 1 }) },
        { kind: 'insertQueueItem', item: buildItem({ id: 'y', fCnt: 2 }) },
        { kind: 'insertQueueItem', item: other },
        { kind: 'flushQueue', devEUI },
      );
      assert.deepEqual(await state.queue(devEUI), []);
      assert.deepEqual(await state.queue(other.devEUI), [other]);
    });
  });
}

export function describeNonces(name: string, withState: WithState): void {
  describe(`${name}: nonces`, () => {
    const activation = (devNonce: number) => ({ ...nonce, devNonce, devAddr: '01020304', at: devNonce });
    withState('are used once per device, JoinEUI and kind of join', async ({ state }) => {
      const write = { kind: 'saveActivation', activation: activation(7) } as const;
      assert.equal(await commit(state, write), true);
      assert.equal(await commit(state, write), false);
      assert.equal(await state.devNonceUsedAt({ ...nonce, devNonce: 7 }), 7);
      assert.equal(await state.devNonceUsedAt({ ...nonce, devNonce: 8 }), null);
      assert.equal(await state.devNonceUsedAt({ ...nonce, devNonce: 7, joinType: 'rejoin0' }), null);
      assert.equal(await state.devNonceUsedAt({ ...nonce, devNonce: 7, joinEUI: '3333333333333333' }), null);
      assert.equal(await state.highestDevNonce(nonce), 7);
      assert.equal(await state.highestDevNonce({ ...nonce, joinEUI: '3333333333333333' }), null);
    });
    withState('older ones can be forgotten', async ({ state }) => {
      for (const value of [1, 2, 3]) await commit(state, { kind: 'saveActivation', activation: activation(value) });
      await commit(state, { kind: 'forgetDevNonces', devEUI, keep: 2 });
      const used = await Promise.all([1, 2, 3].map((devNonce) => state.devNonceUsedAt({ ...nonce, devNonce })));
      assert.deepEqual(used, [null, 2, 3]);
      await commit(state, { kind: 'forgetDevNonces', devEUI, keep: 0 });
      assert.equal(await state.highestDevNonce(nonce), null);
    });
  });
}

export function describeJournal(name: string, withState: WithState): void {
  describe(`${name}: journal`, () => {
    withState('keeps copies in order until they are finished', async ({ state }) => {
      const first = await state.receive(['a', 'b']);
      const second = await state.receive(['c']);
      const ids = [...first, ...second];
      assert.equal(new Set(ids).size, 3);
      assert.deepEqual(
        await state.unfinished(0, 9),
        ['a', 'b', 'c'].map((copy, index) => ({ id: ids[index], copy })),
      );
      assert.deepEqual(
        (await state.unfinished(first[0]!, 1)).map(({ copy }) => copy),
        ['b'],
      );
      assert.deepEqual(
        (await state.unfinishedBeginning(['a', 'c'])).map(({ copy }) => copy),
        ['a', 'c'],
      );
      await commit(state, { kind: 'finish', ids: first });
      assert.deepEqual(await state.unfinished(0, 9), [{ id: second[0], copy: 'c' }]);
      assert.deepEqual(await state.unfinishedBeginning(['a']), []);
      const alike = ['1', '2'].map((rest) => `{"phyPayload":"QAQDAg${rest}`);
      await state.receive([...alike, '{"phyPayload":"QAQDAh1']);
      assert.deepEqual(
        (await state.unfinishedBeginning(['{"phyPayload":"QAQDAg'])).map(({ copy }) => copy),
        alike,
      );
    });
    withState(
      'finishes a copy once when that is guarded, and nothing of a unit that comes too late',
      async ({ state }) => {
        const [first, second] = await state.receive(['a', 'b']);
        await commit(state, { kind: 'finish', ids: [first!], isGuarded: true });
        const late = {
          kind: 'saveRecord',
          of: 'gatewaySeen',
          id: 'aa',
          value: { lastSeenAt: 1, firstSeenAt: 1 },
        } as const;
        assert.equal(await commit(state, late, { kind: 'finish', ids: [first!, second!], isGuarded: true }), false);
        assert.equal(await state.get('gatewaySeen', 'aa'), null);
        assert.deepEqual(await state.journalled([first!, second!]), [{ id: second, copy: 'b' }]);
        assert.equal(await commit(state, { kind: 'finish', ids: [second!], isGuarded: true }), true);
      },
    );
  });
}
