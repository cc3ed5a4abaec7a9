import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { commit, type WithState } from './conformance-cases.ts';
import { buildSession, devEUI, multicastGroup, saveDevice } from './conformance-samples.ts';
import type { MulticastItem, Write } from './state.ts';

export function describeMulticastGroups(name: string, withState: WithState): void {
  describe(`${name}: multicast-groups`, () => {
    groupCases(withState);
    queueCases(withState);
  });
}

const member = (change: object = {}) => ({ kind: 'addMulticastMember', groupID: 'g', devEUI, ...change }) as const;
const item = (fCnt: number, change: Partial<MulticastItem> = {}): MulticastItem => {
  const itemID = { groupID: 'g', fCnt, gatewayID: 'a', board: 1, antenna: 2 };
  const content = { fPort: 10, frmPayload: Uint8Array.of(fCnt, 2, 255) };
  return { ...itemID, ...content, at: 1000 + fCnt, until: 9000, pingSlotAt: 5, attempts: 0, ...change };
};
const insert = (fCnt: number, change?: Partial<MulticastItem>): Write => {
  return { kind: 'insertMulticastItem', item: item(fCnt, change) };
};

/** Counters, members and rests of a group, and its end. */
function groupCases(withState: WithState): void {
  withState('spend each counter once, and never an earlier one', async ({ state }) => {
    assert.equal(await state.multicastFCnt('g'), null);
    await commit(state, { kind: 'setMulticastFCnt', groupID: 'g', fCnt: 7 });
    await commit(state, { kind: 'setMulticastFCnt', groupID: 'other', fCnt: 1 });
    assert.equal(await commit(state, { kind: 'spendMulticastFCnt', groupID: 'g', fCnt: 6 }, insert(6)), false);
    assert.equal(await commit(state, { kind: 'spendMulticastFCnt', groupID: 'g', fCnt: 7 }), true);
    assert.equal(await commit(state, { kind: 'spendMulticastFCnt', groupID: 'g', fCnt: 7 }), false);
    assert.equal(await commit(state, { kind: 'spendMulticastFCnt', groupID: 'g', fCnt: 10 }), true);
    assert.deepEqual([await state.multicastFCnt('g'), await state.multicastFCnt('other')], [11, 1]);
    assert.deepEqual(await state.multicastQueue('g'), []);
  });
  withState('know their devices and who heard them', async ({ state }) => {
    const { receivers, dr } = buildSession({});
    await commit(state, member(), member(), member({ devEUI: 'ff' }), member({ groupID: 'other' }));
    await commit(state, { kind: 'insertSession', session: buildSession({}) });
    await commit(state, {
      kind: 'insertSession',
      session: buildSession({ id: 'b', role: 'pending', receivers: [] }),
    });
    assert.deepEqual(await state.multicastMembers('g'), [
      { devEUI, dr, receivers },
      { devEUI: 'ff', dr: 0, receivers: [] },
    ]);
    await commit(state, { kind: 'removeMulticastMember', groupID: 'g', devEUI });
    assert.deepEqual(
      (await state.multicastMembers('g')).map((one) => one.devEUI),
      ['ff'],
    );
    assert.equal((await state.multicastMembers('other')).length, 1);
  });
  withState('rest with their gateways, and nobody sends meanwhile', async ({ state }) => {
    const begin = (of: string[], now: number, ms = 2000): Write => {
      return { kind: 'startMulticastCooldowns', of, now, until: now + ms, longestMs: 2000 };
    };
    assert.deepEqual(await state.multicastRests(['a', 'g']), new Map());
    assert.equal(await commit(state, begin(['a', 'g'], 1000), insert(8)), true);
    assert.deepEqual(
      await state.multicastRests(['g', 'a', 'b']),
      new Map([
        ['a', 3000],
        ['g', 3000],
      ]),
    );
    assert.equal(await commit(state, begin(['b', 'g'], 2999), insert(9)), false);
    assert.equal(await commit(state, begin(['g'], 1500, 100), insert(9)), false, 'of a shorter one');
    assert.deepEqual([...(await state.multicastRests(['b']))], []);
    assert.deepEqual(await state.multicastQueue('g'), [item(8)]);
    assert.equal(await commit(state, begin(['b', 'g'], 3000)), true);
    assert.equal(await commit(state, begin(['b'], 500)), true, 'of a clock that was ahead');
    await commit(state, { kind: 'deleteRecord', of: 'gateway', id: 'a' });
    await commit(state, { kind: 'deleteRecord', of: 'multicastGroup', id: 'g' });
    assert.deepEqual([...(await state.multicastRests(['a', 'b', 'g'])).keys()], ['b']);
  });
  withState('take all of that along, and a device its places', async ({ state }) => {
    const counter = { kind: 'setMulticastFCnt', groupID: 'g', fCnt: 7 } as const;
    const record = { kind: 'saveRecord', of: 'multicastGroup', id: 'g', value: multicastGroup } as const;
    await commit(state, saveDevice({}), record, counter, member(), member({ devEUI: 'ff' }), insert(7));
    await commit(state, { kind: 'deleteRecord', of: 'device', id: devEUI });
    assert.deepEqual(
      (await state.multicastMembers('g')).map((one) => one.devEUI),
      ['ff'],
    );
    assert.deepEqual(await state.get('multicastGroup', 'g'), multicastGroup);
    await commit(state, { kind: 'deleteRecord', of: 'multicastGroup', id: 'g' });
    assert.deepEqual(
      [await state.multicastFCnt('g'), await state.multicastMembers('g'), await state.multicastQueue('g')],
      [null, [], []],
    );
  });
}

function queueCases(withState: WithState): void {
  withState('keep their downlinks in the order of counters', async ({ state }) => {
    const elsewhere = item(9, { gatewayID: 'b', at: 900 });
    await commit(state, insert(9), insert(9, elsewhere), insert(10), insert(8), insert(1, { groupID: 'other' }));
    assert.deepEqual(await state.multicastQueue('g'), [item(8), item(9), elsewhere, item(10)]);
    assert.deepEqual(await state.nextMulticast({ groupID: 'g', gatewayID: 'a' }), item(8));
    const queue = { groupID: 'g', gatewayID: 'b' };
    assert.deepEqual(await state.nextMulticast(queue), elsewhere);
    const changed = { ...elsewhere, at: 2000, pingSlotAt: null, attempts: 1 };
    await commit(state, { kind: 'updateMulticastItem', item: changed });
    assert.deepEqual(await state.nextMulticast(queue), changed);
    const itemID = { ...queue, fCnt: 9 };
    await commit(state, { kind: 'deleteMulticastItem', itemID }, { kind: 'updateMulticastItem', item: changed });
    assert.equal(await state.nextMulticast(queue), null);
    assert.deepEqual(await state.multicastQueue('g'), [item(8), item(9), item(10)]);
    await commit(state, { kind: 'flushMulticastQueue', groupID: 'g' });
    assert.deepEqual(await state.multicastQueue('g'), []);
    assert.equal((await state.multicastQueue('other')).length, 1);
  });
  withState('know what leaves next for each group at a gateway', async ({ state }) => {
    assert.deepEqual(await state.multicastHeads('a'), []);
    await commit(state, insert(9), insert(8), insert(1, { groupID: 'other', at: 1200 }), insert(9, { gatewayID: 'b' }));
    const heads = (await state.multicastHeads('a')).sort((one, other) => one.fCnt - other.fCnt);
    assert.deepEqual(heads, [item(1, { groupID: 'other', at: 1200 }), item(8)]);
    assert.deepEqual(await state.multicastHeads('b'), [item(9, { gatewayID: 'b' })]);
  });
}
