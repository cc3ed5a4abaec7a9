import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { commit, type WithState } from './conformance-cases.ts';
import { buildSession, devEUI } from './conformance-samples.ts';
import { createInMemoryState } from './in-memory.ts';
import type { DeviceSession } from './session.ts';
import type { State, Write } from './state.ts';

export function describeSessions(name: string, withState: WithState): void {
  describe(`${name}: sessions`, () => {
    readingCases(withState);
    savingCases(withState);
    replacingCases(withState);
  });
}

const none = { current: null, pending: null, replaced: null };

function readingCases(withState: WithState): void {
  withState('come back whole, keys included', async ({ state }) => {
    const session = buildSession({});
    await commit(state, { kind: 'insertSession', session });
    assert.deepEqual(await state.sessionsByDevAddr(session.devAddr), [session]);
    assert.deepEqual(await state.sessions(devEUI), { ...none, current: session });
    assert.deepEqual(await state.sessionsByDevAddr('ffffffff'), []);
  });
  withState('are summarized by role', async ({ state }) => {
    const current = buildSession({});
    const next = buildSession({ id: 'b', role: 'pending', devAddr: '09090909' });
    assert.deepEqual(await state.sessionsInBrief(devEUI), none);
    await commit(state, { kind: 'insertSession', session: current });
    const brief = { id: current.id, devAddr: current.devAddr };
    assert.deepEqual(await state.sessionsInBrief(devEUI), { ...none, current: brief });
    await commit(state, { kind: 'insertSession', session: next });
    const pending = { id: 'b', devAddr: '09090909' };
    assert.deepEqual(await state.sessionsInBrief(devEUI), { ...none, current: brief, pending });
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
    for (const [index, devEUI] of ids.toReversed().entries())
      await commit(state, { kind: 'insertSession', session: buildSession({ id: `s${index}`, devEUI }) });
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
}

function savingCases(withState: WithState): void {
  withState('save once per revision', async ({ state }) => {
    const session = buildSession({});
    await commit(state, { kind: 'insertSession', session });
    assert.equal(await commit(state, { kind: 'saveSession', session: { ...session, fCntUp: 1 } }), true);
    assert.equal(await commit(state, { kind: 'saveSession', session: { ...session, fCntUp: 9 } }), false);
    const { current } = await state.sessions(devEUI);
    assert.deepEqual(current, { ...session, fCntUp: 1, revision: session.revision + 1 });
  });
  withState('the race has one winner when two commits are under way', async ({ state }) => {
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
    assert.deepEqual(await state.sessions(devEUI), none);
  });
}

const insertPending = (id: string): Write => {
  return { kind: 'insertSession', session: buildSession({ id, role: 'pending' }) };
};

/** The IDs of the current, the pending and the replaced session. */
async function idsOf(state: State): Promise<(string | undefined)[]> {
  const { current, pending, replaced } = await state.sessions(devEUI);
  return [current?.id, pending?.id, replaced?.id];
}

function replacingCases(withState: WithState): void {
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
  withState('a new pending one replaces the pending one and removes the replaced one', async ({ state }) => {
    await commit(state, { kind: 'insertSession', session: buildSession({}) });
    for (const id of ['b', 'c']) await commit(state, insertPending(id));
    assert.deepEqual(await idsOf(state), ['a', 'c', 'b']);
    assert.deepEqual((await state.sessionsInBrief(devEUI)).replaced, { id: 'b', devAddr: '01020304' });
    await commit(state, insertPending('d'));
    assert.deepEqual(await idsOf(state), ['a', 'd', 'c']);
    assert.equal((await state.sessionsByDevAddr('01020304')).length, 3);
  });
  withState('a replaced one saved as current removes the current one and leaves the pending one', async ({ state }) => {
    await commit(state, { kind: 'insertSession', session: buildSession({}) });
    for (const id of ['b', 'c']) await commit(state, insertPending(id));
    const { replaced } = await state.sessions(devEUI);
    assert.ok(replaced);
    const keys = { ...replaced.keys, appSKey: null };
    const used: Write = { kind: 'saveSession', session: { ...replaced, keys, role: 'current', fCntUp: 1 } };
    assert.equal(await commit(state, used), true);
    assert.deepEqual(await idsOf(state), ['b', 'c', undefined]);
    const { current } = await state.sessions(devEUI);
    assert.deepEqual(current, { ...replaced, keys, role: 'current', fCntUp: 1, revision: replaced.revision + 1 });
    assert.equal(await commit(state, used), false);
    assert.deepEqual(await idsOf(state), ['b', 'c', undefined]);
  });
  withState('a pending one saved as current, and a new current one, remove all others', async ({ state }) => {
    await commit(state, { kind: 'insertSession', session: buildSession({}) });
    for (const id of ['b', 'c']) await commit(state, insertPending(id));
    const { pending } = await state.sessions(devEUI);
    await commit(state, { kind: 'saveSession', session: { ...pending!, role: 'current' } });
    assert.deepEqual(await idsOf(state), ['c', undefined, undefined]);
    for (const id of ['e', 'f']) await commit(state, insertPending(id));
    await commit(state, { kind: 'insertSession', session: buildSession({ id: 'g' }) });
    assert.deepEqual(await idsOf(state), ['g', undefined, undefined]);
  });
  withState('do not end when the first uplink of another one is refused', async ({ state }) => {
    await commit(state, { kind: 'insertSession', session: buildSession({}) });
    for (const id of ['b', 'c']) await commit(state, insertPending(id));
    const { pending, replaced } = await state.sessions(devEUI);
    for (const session of [pending!, replaced!]) {
      const outdated = { ...session, role: 'current' as const, revision: session.revision - 1 };
      assert.equal(await commit(state, { kind: 'saveSession', session: outdated }), false);
      const lost: Write = { kind: 'finish', ids: [1_000_000], isGuarded: true };
      assert.equal(
        await commit(state, { kind: 'saveSession', session: { ...session, role: 'current' as const } }, lost),
        false,
      );
    }
    assert.deepEqual(await idsOf(state), ['a', 'c', 'b']);
  });
  withState('have the same roles as in memory, whatever was written', async ({ state }) => {
    const memory = createInMemoryState({ apply: () => undefined });
    let seed = 2;
    const below = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most;
    for (let step = 0; step < 200; step += 1) {
      const { current, pending, replaced } = await state.sessions(devEUI);
      const known = [current, pending, replaced].filter((one) => one !== null);
      const session = known[below(4)];
      const role = below(5) === 0 ? 'current' : 'pending';
      const write: Write =
        session && below(3) === 0
          ? { kind: 'saveSession', session: { ...session, role: below(2) === 0 ? 'current' : session.role } }
          : { kind: 'insertSession', session: buildSession({ id: `${step}`, role }) };
      assert.deepEqual([await commit(state, write), await commit(memory, write)], [true, true]);
      assert.deepEqual(await state.sessions(devEUI), await memory.sessions(devEUI));
    }
  });
  withState('are the same by DevAddr and by device, whatever was written', async ({ state }) => {
    const devices = ['1111111111111111', '2222222222222222', '3333333333333333'];
    const addresses = ['01020304', '09090909'];
    const all = async () => {
      const found = await Promise.all(devices.map((one) => state.sessions(one)));
      return found
        .flatMap(({ current, pending, replaced }) => [current, pending, replaced])
        .filter((one) => one !== null);
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
}
