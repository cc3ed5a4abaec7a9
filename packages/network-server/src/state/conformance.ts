import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Effect } from './effect.ts';
import type { DeviceRecord, GatewayRecord, MulticastGroupRecord } from './records.ts';
import type { DeviceSession } from './session.ts';
import type { MulticastItem, QueueItem, State, Write } from './state.ts';

export interface StateUnderTest {
  state: State;
  /** A new effect, and whether it happened. */
  effect: () => { effect: Effect; happened: () => boolean | Promise<boolean> };
  /** The same storage after a restart; absent when nothing survives one. */
  reopen?: () => Promise<State>;
  close: () => Promise<void>;
}

/** Registers the test cases that every State must pass; `open` creates an empty one for each. */
export function describeState(name: string, open: () => Promise<StateUnderTest>): void {
  const withState = (title: string, test: (under: StateUnderTest) => Promise<void>) => {
    it(title, async () => {
      const under = await open();
      try {
        await test(under);
      } finally {
        await under.close();
      }
    });
  };
  const commit = (state: State, ...writes: Parameters<State['commit']>[0]['writes']) =>
    state.commit({ writes, effects: [] });

  describe(`${name}: records`, () => {
    withState('answers null for a missing record', async ({ state }) => {
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
    withState('separates kinds and stores nested values completely', async ({ state }) => {
      await commit(state, { kind: 'saveRecord', of: 'gateway', id: devEUI, value: gateway }, saveDevice({}));
      assert.deepEqual(await state.get('gateway', devEUI), gateway);
      assert.deepEqual(await state.get('device', devEUI), buildDevice({}));
    });
    withState('deletes the sessions, queue and nonces of a device with it', async ({ state }) => {
      await commit(
        state,
        saveDevice({}),
        { kind: 'insertSession', session: buildSession({}) },
        { kind: 'insertQueueItem', item: buildItem({}) },
        { kind: 'saveActivation', activation: { ...nonce, devAddr: '01020304', at: 1 } },
      );
      await commit(state, { kind: 'deleteRecord', of: 'device', id: devEUI });
      assert.deepEqual(await state.sessions(devEUI), { current: null, pending: null });
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

  describe(`${name}: multicast-groups`, () => {
    const member = (change: object = {}) => ({ kind: 'addMulticastMember', groupID: 'g', devEUI, ...change }) as const;
    const item = (fCnt: number, change: Partial<MulticastItem> = {}): MulticastItem => {
      const place = { groupID: 'g', fCnt, gatewayID: 'a', board: 1, antenna: 2 };
      const content = { fPort: 10, frmPayload: Uint8Array.of(fCnt, 2, 255) };
      return { ...place, ...content, at: 1000 + fCnt, until: 9000, pingSlotAt: 5, attempts: 0, ...change };
    };
    const insert = (fCnt: number, change?: Partial<MulticastItem>): Write => {
      return { kind: 'insertMulticastItem', item: item(fCnt, change) };
    };
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
    withState('know their devices and the gateways that received them', async ({ state }) => {
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
    withState('order their downlinks by counter', async ({ state }) => {
      const elsewhere = item(9, { gatewayID: 'b', at: 900 });
      await commit(state, insert(9), insert(9, elsewhere), insert(10), insert(8), insert(1, { groupID: 'other' }));
      assert.deepEqual(await state.multicastQueue('g'), [item(8), item(9), elsewhere, item(10)]);
      assert.deepEqual(await state.nextMulticast({ groupID: 'g', gatewayID: 'a' }), item(8));
      const lane = { groupID: 'g', gatewayID: 'b' };
      assert.deepEqual(await state.nextMulticast(lane), elsewhere);
      const changed = { ...elsewhere, at: 2000, pingSlotAt: null, attempts: 1 };
      await commit(state, { kind: 'updateMulticastItem', item: changed });
      assert.deepEqual(await state.nextMulticast(lane), changed);
      const place = { ...lane, fCnt: 9 };
      await commit(state, { kind: 'deleteMulticastItem', place }, { kind: 'updateMulticastItem', item: changed });
      assert.equal(await state.nextMulticast(lane), null);
      assert.deepEqual(await state.multicastQueue('g'), [item(8), item(9), item(10)]);
      await commit(state, { kind: 'flushMulticastQueue', groupID: 'g' });
      assert.deepEqual(await state.multicastQueue('g'), []);
      assert.equal((await state.multicastQueue('other')).length, 1);
    });
    withState('know the next downlink for each group at a gateway', async ({ state }) => {
      assert.deepEqual(await state.multicastHeads('a'), []);
      await commit(
        state,
        insert(9),
        insert(8),
        insert(1, { groupID: 'other', at: 1200 }),
        insert(9, { gatewayID: 'b' }),
      );
      const heads = (await state.multicastHeads('a')).sort((one, other) => one.fCnt - other.fCnt);
      assert.deepEqual(heads, [item(1, { groupID: 'other', at: 1200 }), item(8)]);
      assert.deepEqual(await state.multicastHeads('b'), [item(9, { gatewayID: 'b' })]);
    });
    withState('and their gateways have cooldowns, in which no instance sends', async ({ state }) => {
      const begin = (of: string[], now: number, ms = 2000): Write => {
        return { kind: 'beginMulticastRests', of, now, until: now + ms, longestMs: 2000 };
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
    withState('are deleted with all of that, and a device with its memberships', async ({ state }) => {
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
  });

  describe(`${name}: sessions`, () => {
    withState('are read back completely, including keys', async ({ state }) => {
      const session = buildSession({});
      await commit(state, { kind: 'insertSession', session });
      assert.deepEqual(await state.sessionsByDevAddr(session.devAddr), [session]);
      assert.deepEqual(await state.sessions(devEUI), { current: session, pending: null });
      assert.deepEqual(await state.sessionsByDevAddr('ffffffff'), []);
    });
    withState('are read in brief, by role', async ({ state }) => {
      const current = buildSession({});
      const next = buildSession({ id: 'b', role: 'pending', devAddr: '09090909' });
      assert.deepEqual(await state.sessionsInBrief(devEUI), { current: null, pending: null });
      await commit(state, { kind: 'insertSession', session: current });
      const brief = { id: current.id, devAddr: current.devAddr };
      assert.deepEqual(await state.sessionsInBrief(devEUI), { current: brief, pending: null });
      await commit(state, { kind: 'insertSession', session: next });
      const pending = { id: 'b', devAddr: '09090909' };
      assert.deepEqual(await state.sessionsInBrief(devEUI), { current: brief, pending });
    });
    withState('are found by DevAddr over devices and roles', async ({ state }) => {
      await commit(
        state,
        { kind: 'insertSession', session: buildSession({}) },
        { kind: 'insertSession', session: buildSession({ id: 'b', role: 'pending' }) },
        { kind: 'insertSession', session: buildSession({ id: 'c', devEUI: '1111111111111111' }) },
        { kind: 'insertSession', session: buildSession({ id: 'd', devEUI: '2222222222222222', devAddr: '09090909' }) },
      );
      const found = await state.sessionsByDevAddr('01020304');
      assert.deepEqual(found.map(({ id }) => id).sort(), ['a', 'b', 'c']);
    });
    withState('are read without their keys, device by device', async ({ state }) => {
      const ids = ['1111111111111111', '2222222222222222', '3333333333333333'];
      for (const [place, devEUI] of ids.toReversed().entries())
        await commit(state, { kind: 'insertSession', session: buildSession({ id: `s${place}`, devEUI }) });
      const pending = buildSession({ id: 'p', devEUI: ids[1]!, role: 'pending' });
      await commit(state, { kind: 'insertSession', session: pending });
      const { keys: _, ...last } = buildSession({ id: 's0', devEUI: ids[2]! });
      assert.deepEqual(
        (await state.sessionsAfter('', 2)).map(({ devEUI }) => devEUI),
        ids.slice(0, 2),
      );
      assert.deepEqual(await state.sessionsAfter(ids[1]!, 2), [last]);
      assert.deepEqual(await state.sessionsAfter(ids[2]!, 2), []);
    });
    withState('save once per revision', async ({ state }) => {
      const session = buildSession({});
      await commit(state, { kind: 'insertSession', session });
      assert.equal(await commit(state, { kind: 'saveSession', session: { ...session, fCntUp: 1 } }), true);
      assert.equal(await commit(state, { kind: 'saveSession', session: { ...session, fCntUp: 9 } }), false);
      const { current } = await state.sessions(devEUI);
      assert.deepEqual(current, { ...session, fCntUp: 1, revision: session.revision + 1 });
    });
    withState('of two simultaneous commits, one succeeds', async ({ state }) => {
      const session = buildSession({});
      await commit(state, { kind: 'insertSession', session });
      const won = await Promise.all([
        commit(state, { kind: 'saveSession', session: { ...session, fCntUp: 1 } }),
        commit(state, { kind: 'saveSession', session: { ...session, fCntUp: 2 } }),
      ]);
      assert.equal(won.filter(Boolean).length, 1);
    });
    withState('do not save over another activation or after deletion', async ({ state }) => {
      const old = buildSession({});
      await commit(state, { kind: 'insertSession', session: old });
      await commit(state, { kind: 'insertSession', session: buildSession({ id: 'new' }) });
      assert.equal(await commit(state, { kind: 'saveSession', session: old }), false);
      await commit(state, { kind: 'deleteSessions', devEUI });
      assert.equal(await commit(state, { kind: 'saveSession', session: buildSession({ id: 'new' }) }), false);
      assert.deepEqual(await state.sessions(devEUI), { current: null, pending: null });
    });
    withState('a pending one saved as current replaces it', async ({ state }) => {
      const pending = buildSession({ id: 'b', role: 'pending', devAddr: '0a0a0a0a' });
      await commit(
        state,
        { kind: 'insertSession', session: buildSession({}) },
        { kind: 'insertSession', session: pending },
      );
      assert.equal(await commit(state, { kind: 'saveSession', session: { ...pending, role: 'current' } }), true);
      const after = await state.sessions(devEUI);
      assert.equal(after.current?.id, 'b');
      assert.equal(after.pending, null);
      assert.deepEqual(await state.sessionsByDevAddr('01020304'), []);
    });
    withState('a new pending one replaces the pending one, a new current one both', async ({ state }) => {
      await commit(
        state,
        { kind: 'insertSession', session: buildSession({}) },
        { kind: 'insertSession', session: buildSession({ id: 'b', role: 'pending' }) },
        { kind: 'insertSession', session: buildSession({ id: 'c', role: 'pending' }) },
      );
      const { current, pending } = await state.sessions(devEUI);
      assert.deepEqual([current?.id, pending?.id], ['a', 'c']);
      await commit(state, { kind: 'insertSession', session: buildSession({ id: 'd' }) });
      const after = await state.sessions(devEUI);
      assert.deepEqual([after.current?.id, after.pending], ['d', null]);
    });
    withState('are the same by DevAddr and by device, after any write', async ({ state }) => {
      const devices = ['1111111111111111', '2222222222222222', '3333333333333333'];
      const addresses = ['01020304', '09090909'];
      const all = async () => {
        const found = await Promise.all(devices.map((one) => state.sessions(one)));
        return found.flatMap(({ current, pending }) => [current, pending]).filter((one) => one !== null);
      };
      const byID = (sessions: DeviceSession[]) => sessions.sort((a, b) => (a.id < b.id ? -1 : 1));
      let seed = 1;
      const below = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most;
      for (let step = 0; step < 300; step += 1) {
        const known = await all();
        const session = known[below(Math.max(known.length, 4))];
        const place = { devEUI: devices[below(3)]!, devAddr: addresses[below(2)]!, id: `${step}` };
        const role = below(2) === 0 ? 'current' : 'pending';
        const saved: Write | undefined = session && {
          kind: 'saveSession',
          session: { ...session, fCntUp: step, role: below(4) === 0 ? 'current' : session.role },
        };
        const inserted: Write = { kind: 'insertSession', session: buildSession({ ...place, role }) };
        const lost: Write = { kind: 'finish', ids: [1_000_000], isGuarded: true };
        await Promise.all([
          ...(saved ? [commit(state, saved, ...(below(4) === 0 ? [lost] : []))] : []),
          ...(saved && below(3) === 0 ? [commit(state, saved)] : []),
          ...(below(6) === 0 ? [commit(state, inserted)] : []),
          ...(below(20) === 0 ? [commit(state, { kind: 'deleteSessions', devEUI: place.devEUI })] : []),
        ]);
        const stored = await all();
        for (const devAddr of addresses)
          assert.deepEqual(
            byID(await state.sessionsByDevAddr(devAddr)),
            byID(stored.filter((one) => one.devAddr === devAddr)),
          );
      }
    });
  });

  describe(`${name}: queue`, () => {
    withState('lists by FCnt', async ({ state }) => {
      const items = [buildItem({ id: 'x', fCnt: 3 }), buildItem({ id: 'y', fCnt: 1, frmPayload: Uint8Array.of() })];
      for (const item of items) await commit(state, { kind: 'insertQueueItem', item });
      assert.deepEqual(await state.queue(devEUI), [items[1], items[0]]);
      assert.deepEqual(await state.queue('1111111111111111'), []);
    });
    withState('updates only existing items', async ({ state }) => {
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
    withState('are deleted when they are older', async ({ state }) => {
      for (const value of [1, 2, 3]) await commit(state, { kind: 'saveActivation', activation: activation(value) });
      await commit(state, { kind: 'forgetDevNonces', devEUI, keep: 2 });
      const used = await Promise.all([1, 2, 3].map((devNonce) => state.devNonceUsedAt({ ...nonce, devNonce })));
      assert.deepEqual(used, [null, 2, 3]);
      await commit(state, { kind: 'forgetDevNonces', devEUI, keep: 0 });
      assert.equal(await state.highestDevNonce(nonce), null);
    });
  });

  describe(`${name}: journal`, () => {
    withState('stores copies in order until they are finished', async ({ state }) => {
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
    withState('finishes a guarded copy once, and nothing of a unit that comes too late', async ({ state }) => {
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
    });
  });

  describe(`${name}: due work`, () => {
    const lease = { now: 100, leaseUntil: 200, most: 9 };
    withState('ends a guarded claim once, and nothing of a unit that comes too late', async ({ state }) => {
      await commit(state, { kind: 'askDue', work: { kind: 'queue', key: devEUI }, at: 50 });
      const [claim] = await state.claimDue(lease);
      const [again] = await state.claimDue({ ...lease, now: 200, leaseUntil: 300 });
      const beside = {
        kind: 'saveRecord',
        of: 'gatewaySeen',
        id: 'aa',
        value: { lastSeenAt: 1, firstSeenAt: 1 },
      } as const;
      assert.equal(await commit(state, beside, { kind: 'settleDue', claim: claim!, next: 9, isGuarded: true }), false);
      assert.equal(await state.get('gatewaySeen', 'aa'), null);
      assert.equal(await commit(state, { kind: 'settleDue', claim: again!, next: null, isGuarded: true }), true);
      assert.equal(await state.nextDueAt(), null);
    });
    withState('is claimed once, the longest due first, and not before its time', async ({ state }) => {
      await commit(state, askDue('b', 100), askDue('a', 50), askDue('c', 101));
      assert.equal(await state.nextDueAt(), 50);
      const taken = await state.claimDue({ ...lease, most: 1 });
      assert.deepEqual(
        taken.map(({ kind, key }) => [kind, key]),
        [['queue', 'a']],
      );
      assert.deepEqual(
        (await state.claimDue(lease)).map(({ key }) => key),
        ['b'],
      );
      assert.deepEqual(await state.claimDue(lease), []);
      assert.equal(await state.nextDueAt(), 101);
    });
    withState('is moved to an earlier time when it is too far ahead', async ({ state }) => {
      await commit(state, askDue('a', 50), askDue('b', 500), askDue('c', 900));
      await commit(state, { kind: 'hurryDue', after: 500, to: 60 });
      const keys = (await state.claimDue(lease)).map(({ key }) => key);
      assert.deepEqual([keys, await state.nextDueAt()], [['a', 'c'], 200]);
    });
    withState('is stored in one row, with the earliest time', async ({ state }) => {
      await commit(state, askDue('a', 50), askDue('a', 70));
      assert.equal(await state.nextDueAt(), 50);
      await commit(state, askDue('a', 20));
      assert.equal(await state.nextDueAt(), 20);
      assert.equal((await state.claimDue(lease)).length, 1);
    });
    withState('is deleted when settled, or due again at the next time', async ({ state }) => {
      await commit(state, askDue('a', 50), askDue('b', 60));
      const [a, b] = await state.claimDue(lease);
      await commit(state, { kind: 'settleDue', claim: a!, next: null }, { kind: 'settleDue', claim: b!, next: 90 });
      assert.equal(await state.nextDueAt(), 90);
      assert.deepEqual(
        (await state.claimDue(lease)).map(({ key }) => key),
        ['b'],
      );
    });
    withState('is due again when the lease ends, and the late claim settles nothing', async ({ state }) => {
      await commit(state, askDue('a', 50));
      const [late] = await state.claimDue(lease);
      assert.deepEqual(await state.claimDue({ ...lease, now: 199 }), []);
      const [again] = await state.claimDue({ now: 200, leaseUntil: 300, most: 9 });
      assert.equal(again?.key, 'a');
      await commit(state, { kind: 'settleDue', claim: late!, next: null });
      assert.equal(await state.nextDueAt(), 300);
      await commit(state, { kind: 'settleDue', claim: again!, next: null });
      assert.equal(await state.nextDueAt(), null);
    });
    withState('that is scheduled again while it runs is not settled', async ({ state }) => {
      await commit(state, askDue('a', 50));
      const [claim] = await state.claimDue(lease);
      await commit(state, askDue('a', 100));
      await commit(state, { kind: 'settleDue', claim: claim!, next: null });
      assert.equal((await state.claimDue(lease)).length, 1);
    });
    withState('is claimed by one of two simultaneous calls', async ({ state }) => {
      await commit(state, ...['a', 'b', 'c', 'd'].map((key) => askDue(key, 50)));
      const taken = await Promise.all([state.claimDue(lease), state.claimDue(lease)]);
      assert.deepEqual(
        taken
          .flat()
          .map(({ key }) => key)
          .sort(),
        ['a', 'b', 'c', 'd'],
      );
    });
    withState('is announced when it is on disk, and not when the unit was refused', async ({ state }) => {
      const heard: number[] = [];
      state.onDue((at) => heard.push(at));
      await commit(state, askDue('a', 50));
      await commit(state, askDue('a', 20), { kind: 'saveSession', session: buildSession({}) });
      assert.deepEqual(heard, [50]);
      assert.equal(await state.nextDueAt(), 50);
      const [claim] = await state.claimDue(lease);
      await commit(state, { kind: 'settleDue', claim: claim!, next: 70 });
      assert.deepEqual(heard, [50, 70]);
    });
    withState('survives a restart', async ({ state, reopen }) => {
      if (!reopen) return;
      await commit(state, askDue('a', 50));
      const [claim] = await state.claimDue(lease);
      const after = await reopen();
      assert.equal(await after.nextDueAt(), 200);
      await commit(after, { kind: 'settleDue', claim: claim!, next: null });
      assert.equal(await after.nextDueAt(), null);
    });
  });

  describe(`${name}: unit`, () => {
    withState('effects happen with the writes', async ({ state, effect }) => {
      const { effect: one, happened } = effect();
      assert.equal(await state.commit({ writes: [saveDevice({})], effects: [one] }), true);
      assert.equal(await happened(), true);
    });
    withState('a refused unit writes nothing at all', async ({ state, effect }) => {
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
    withState('a refused unit does not affect another one', async ({ state }) => {
      const session = buildSession({});
      await commit(state, { kind: 'insertSession', session });
      const outcomes = await Promise.all([
        commit(state, { kind: 'saveSession', session: { ...session, revision: 99 } }),
        commit(state, saveDevice({})),
        commit(state, { kind: 'saveSession', session }),
      ]);
      assert.deepEqual(outcomes, [false, true, true]);
    });
    withState('a counter is used up together with the item that is sent with it, or not at all', async ({ state }) => {
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
    withState('a flushed item can be inserted with its id in the same unit', async ({ state }) => {
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

const devEUI = '0102030405060708';
const nonce = { devEUI, joinEUI: '0807060504030201', joinType: 'join', devNonce: 1 } as const;

function askDue(key: string, at: number): Write {
  return { kind: 'askDue', work: { kind: 'queue', key }, at };
}

const gateway: GatewayRecord = {
  createdAt: 1,
  updatedAt: 2,
  location: { latitude: 52.5, longitude: -1.25, altitude: 3, source: 'CONFIG', accuracy: 0 },
  routingProfileID: '00112233445566778899aabbccddeeff',
  gatewayProfileID: '',
  serviceProfileID: '',
  boards: [{ fpgaID: '0101010101010101', fineTimestampKey: '000102030405060708090a0b0c0d0e0f' }],
};

function buildDevice(change: Partial<DeviceRecord>): DeviceRecord {
  return {
    createdAt: 1,
    updatedAt: 1,
    deviceProfileID: '00112233445566778899aabbccddeeff',
    serviceProfileID: '00112233445566778899aabbccddeef0',
    routingProfileID: '00112233445566778899aabbccddeef1',
    skipFCntCheck: false,
    referenceAltitude: 1.5,
    isDisabled: false,
    ...change,
  };
}

function saveDevice(change: Partial<DeviceRecord>) {
  return { kind: 'saveRecord', of: 'device', id: devEUI, value: buildDevice(change) } as const;
}

function buildItem(change: Partial<QueueItem>): QueueItem {
  return {
    id: 'item',
    devEUI,
    fCnt: 0,
    fPort: 10,
    frmPayload: Uint8Array.of(1, 2, 3),
    confirmed: false,
    sessionID: 'a',
    isForNextSession: false,
    hasLeft: false,
    isPending: false,
    attempts: 0,
    timeoutAt: null,
    notBefore: null,
    pingSlotAt: null,
    ...change,
  };
}

const multicastGroup: MulticastGroupRecord = {
  mcAddr: '01020304',
  mcNwkSKey: '0'.repeat(32),
  groupType: 'CLASS_C',
  dr: 3,
  frequency: 868_100_000,
  pingSlotPeriod: 0,
  serviceProfileID: '1',
  routingProfileID: '2',
  createdAt: 1,
  updatedAt: 2,
};

function buildSession(change: Partial<DeviceSession>): DeviceSession {
  return {
    id: 'a',
    revision: 0,
    role: 'current',
    origin: 'OTAA',
    devEUI,
    joinEUI: '0807060504030201',
    devAddr: '01020304',
    macVersion: '1.0.3',
    activatedAt: 1,
    keys: {
      fNwkSIntKey: new Uint8Array(16).fill(1),
      sNwkSIntKey: new Uint8Array(16).fill(2),
      nwkSEncKey: new Uint8Array(16).fill(3),
      appSKey: { kekLabel: 'label', aesKey: new Uint8Array(24).fill(4) },
    },
    fCntUp: 0,
    missed: [3, 4],
    nFCntDown: 0,
    aFCntDown: 0,
    confFCnt: 0,
    formerConfFCnt: 0,
    spent: { nFCntDown: { fCnt: 6, digest: '00112233445566778899aabbccddeeff' } },
    itemsPassedOver: 1,
    repeats: 2,
    rxDelay: 1,
    rx1DROffset: 0,
    rx2DataRate: 0,
    rx2Frequency: 869525000,
    adr: true,
    dr: 5,
    txPowerIndex: 0,
    lowestTxPowerIndex: 0,
    highestTxPowerIndex: null,
    nbTrans: 1,
    enabledChannels: [0, 1, 2, 3],
    formerChannels: [{ index: 4, frequency: 867_300_000, minDR: 0, maxDR: 5 }],
    extraChannels: [{ index: 3, frequency: 867100000, minDR: 0, maxDR: 5 }],
    uplinkDwellTime400ms: false,
    downlinkDwellTime400ms: false,
    maxEIRPIndex: 0,
    uplinkHistory: [{ fCnt: 1, maxSNR: 7.5, maxRSSI: -100, txPowerIndex: 0, gatewayCount: 2 }],
    macErrors: { 3: 1 },
    pendingRequests: { 6: '06' },
    lastDevStatusRequestedAt: null,
    lastNewChannelRequestedAt: null,
    isTxPowerDoubtful: false,
    adrAckReqSince: null,
    lastUplinkAt: 5,
    lastDownlinkAt: null,
    mode: 'A',
    beaconLocked: false,
    pingSlotNb: 0,
    pingSlotDR: 0,
    pingSlotFrequency: 0,
    beaconFrequency: 0,
    rejoinCount0: 0,
    rejoinParams: null,
    receivers: [{ gatewayID: '0909090909090909', snr: 7.5, rssi: -60, context: '00010203', board: 0, antenna: 1 }],
    ...change,
  };
}
