import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { commit, type WithState } from './conformance-cases.ts';
import { askDue, buildSession, devEUI } from './conformance-samples.ts';
import type { DueClaim } from './due.ts';
import type { Write } from './state.ts';

export function describeDueWork(name: string, withState: WithState): void {
  describe(`${name}: due work`, () => {
    claimCases(withState);
    settlingCases(withState);
  });
}

const lease = { now: 100, leaseUntil: 200, most: 9 };

function claimCases(withState: WithState): void {
  withState('is taken once, the longest due first, and not before its time', async ({ state }) => {
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
  withState('is hurried when it lies further ahead than it should', async ({ state }) => {
    await commit(state, askDue('a', 50), askDue('b', 500), askDue('c', 900));
    await commit(state, { kind: 'advanceDue', after: 500, to: 60 });
    const keys = (await state.claimDue(lease)).map(({ key }) => key);
    assert.deepEqual([keys, await state.nextDueAt()], [['a', 'c'], 200]);
  });
  withState('is asked for by one row, at the earliest time', async ({ state }) => {
    await commit(state, askDue('a', 50), askDue('a', 70));
    assert.equal(await state.nextDueAt(), 50);
    await commit(state, askDue('a', 20));
    assert.equal(await state.nextDueAt(), 20);
    assert.equal((await state.claimDue(lease)).length, 1);
  });
  withState('comes back when the lease is over, and the late one settles nothing', async ({ state }) => {
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
  withState('has one taker when two take at once', async ({ state }) => {
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
}

function settlingCases(withState: WithState): void {
  withState('ends a turn once when that is guarded, and nothing of a unit that comes too late', async ({ state }) => {
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
  withState('is gone once settled, or due again at the next time', async ({ state }) => {
    await commit(state, askDue('a', 50), askDue('b', 60));
    const [a, b] = await state.claimDue(lease);
    await commit(state, { kind: 'settleDue', claim: a!, next: null }, { kind: 'settleDue', claim: b!, next: 90 });
    assert.equal(await state.nextDueAt(), 90);
    assert.deepEqual(
      (await state.claimDue(lease)).map(({ key }) => key),
      ['b'],
    );
  });
  withState('that is asked for again while it is done is not settled', async ({ state }) => {
    await commit(state, askDue('a', 50));
    const [claim] = await state.claimDue(lease);
    await commit(state, askDue('a', 100));
    await commit(state, { kind: 'settleDue', claim: claim!, next: null });
    assert.equal((await state.claimDue(lease)).length, 1);
  });
  withState('is heard of once it is on disk, and not when the unit was refused', async ({ state }) => {
    const received: number[] = [];
    state.onDue((at) => received.push(at));
    await commit(state, askDue('a', 50));
    await commit(state, askDue('a', 20), { kind: 'saveSession', session: buildSession({}) });
    assert.deepEqual(received, [50]);
    assert.equal(await state.nextDueAt(), 50);
    const [claim] = await state.claimDue(lease);
    await commit(state, { kind: 'settleDue', claim: claim!, next: 70 });
    assert.deepEqual(received, [50, 70]);
  });
  withState('is claimed by the commit that asks for it, whatever its time was', async ({ state }) => {
    const claims: (DueClaim | undefined)[] = [];
    state.onDue((_at, claim) => claims.push(claim));
    const claimed = { ...askDue('a', 100), leaseUntil: 200 } as Write;
    await commit(state, askDue('a', 50));
    const [late] = await state.claimDue(lease);
    await commit(state, claimed);
    const claim = { kind: 'queue', key: 'a', turn: 3 } as const;
    assert.deepEqual(claims, [undefined, claim]);
    assert.deepEqual(await state.claimDue({ ...lease, now: 199 }), []);
    assert.equal(await commit(state, { kind: 'settleDue', claim: late!, next: null, isGuarded: true }), false);
    assert.equal(await commit(state, { kind: 'settleDue', claim, next: null, isGuarded: true }), true);
    await commit(state, claimed);
    assert.deepEqual(claims.at(-1), { ...claim, turn: 1 });
    assert.deepEqual(await state.claimDue({ now: 200, leaseUntil: 300, most: 9 }), [{ ...claim, turn: 2 }]);
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
}
