import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Network } from '../network/network.ts';
import type { DueClaim } from '../state/due.ts';
import { createInMemoryState } from '../state/in-memory.ts';
import type { State } from '../state/state.ts';
import { createFakeClock } from '../testing/fake-clock.ts';
import { createScheduler } from './scheduler.ts';

/** A scheduler over a state that counts its calls; `work` processes and settles the work. */
function createRig({
  work,
  isShared = false,
}: {
  work?: (claim: DueClaim, state: State) => Promise<void>;
  isShared?: boolean;
} = {}) {
  const clock = createFakeClock();
  const memory = createInMemoryState({ apply: () => undefined });
  const calls = { claimDue: 0, nextDueAt: 0 };
  let isAway = false;
  const failing = <Answer>(name: keyof typeof calls, answer: () => Promise<Answer>): Promise<Answer> => {
    calls[name] += 1;
    return isAway ? Promise.reject(new Error('The storage is away.')) : answer();
  };
  const state: State = {
    ...memory,
    // This process is not notified of writes of its peers.
    ...(isShared && { onDue: () => undefined }),
    claimDue: (claim) => failing('claimDue', () => memory.claimDue(claim)),
    nextDueAt: () => failing('nextDueAt', () => memory.nextDueAt()),
  };
  const counts = new Map<string, number>();
  const done: string[] = [];
  const network = {
    state,
    clock,
    isShared,
    log: { error: () => undefined },
    count: (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1),
  } as unknown as Network;
  const settle = (claim: DueClaim, next: number | null = null) =>
    state.commit({ writes: [{ kind: 'settleDue', claim, next }], effects: [] });
  const handle = async (claim: DueClaim) => {
    done.push(claim.key);
    if (work) await work(claim, state);
    else await settle(claim);
  };
  const scheduler = createScheduler(network, { queue: handle, multicast: handle });
  const ask = (key: string, inMs = 0) =>
    state.commit({
      writes: [{ kind: 'askDue', work: { kind: 'queue', key }, at: clock.now().getTime() + inMs }],
      effects: [],
    });
  return {
    clock,
    state,
    scheduler,
    calls,
    counts,
    done,
    ask,
    settle,
    setAway: (is: boolean) => {
      isAway = is;
    },
  };
}

describe('the scheduler', () => {
  it('runs scheduled work at its time, and unfinished work of an earlier run at the start', async () => {
    const { scheduler, clock, done, ask } = createRig();
    await ask('left');
    scheduler.start();
    await clock.advance(0);
    assert.deepEqual(done, ['left']);
    await ask('later', 500);
    await ask('sooner', 300);
    await ask('now');
    await clock.advance(299);
    assert.deepEqual(done, ['left', 'now']);
    await clock.advance(1);
    await clock.advance(200);
    assert.deepEqual(done, ['left', 'now', 'sooner', 'later']);
  });

  it('claims more due work than it runs at once without waiting for another timer', async () => {
    const { scheduler, clock, calls, done, ask } = createRig();
    for (let nth = 0; nth < 250; nth += 1) await ask(`device ${nth}`);
    scheduler.start();
    await clock.advance(0);
    assert.equal(done.length, 250);
    assert.deepEqual(calls, { claimDue: 2, nextDueAt: 1 });
  });

  it('replaces the timer of later work when earlier work is scheduled', async () => {
    const { scheduler, clock, done, ask } = createRig();
    scheduler.start();
    await clock.advance(0);
    await ask('later', 500);
    await ask('sooner', 300);
    await clock.advance(300);
    assert.deepEqual(done, ['sooner']);
  });

  it('does not query the state while nothing is due', async () => {
    const { scheduler, clock, calls, ask } = createRig();
    scheduler.start();
    await ask('once');
    await clock.advance(0);
    const before = { ...calls };
    await clock.advance(24 * 3_600_000);
    assert.deepEqual(calls, before);
  });

  it('checks at once work that a wrong clock postponed, also in an earlier run', async () => {
    const hourMs = 3_600_000;
    const { scheduler, clock, done, ask } = createRig();
    await ask('by the last run', 24 * hourMs);
    await ask('in a while', 1000);
    scheduler.start();
    await clock.advance(0);
    assert.deepEqual(done, ['by the last run']);
    clock.set(hourMs);
    await ask('by this one', 1500);
    clock.set(-hourMs);
    await clock.advance(1000);
    assert.deepEqual(done, ['by the last run', 'in a while', 'by this one']);
  });

  it('runs failed work again when its lease ends', async () => {
    let isBroken = true;
    const rig = createRig({
      work: async (claim, state) => {
        if (isBroken) throw new Error('This went wrong.');
        await state.commit({ writes: [{ kind: 'settleDue', claim, next: null }], effects: [] });
      },
    });
    rig.scheduler.start();
    await rig.ask('a');
    await rig.clock.advance(9_999);
    assert.deepEqual(rig.done, ['a']);
    isBroken = false;
    await rig.clock.advance(1);
    assert.deepEqual(rig.done, ['a', 'a']);
    assert.equal(rig.counts.get('due_failed'), 1);
    await rig.clock.advance(60_000);
    assert.equal(rig.done.length, 2);
  });

  it('finds within five seconds what another process scheduled, and what it claimed before it ended', async () => {
    const { scheduler, clock, state, done } = createRig({ isShared: true });
    scheduler.start();
    await clock.advance(60_000);
    const others = { kind: 'queue', key: 'asked by another' } as const;
    await state.commit({ writes: [{ kind: 'askDue', work: others, at: clock.now().getTime() }], effects: [] });
    const now = clock.now().getTime();
    assert.equal((await state.claimDue({ now, leaseUntil: now + 3_000, most: 1 })).length, 1);
    for (let seconds = 0; seconds < 5; seconds++) await clock.advance(1000);
    assert.deepEqual(done, ['asked by another']);
  });

  it('claims a limited number at once, and all in the end', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const rig = createRig({
      work: async (claim, state) => {
        await promise;
        await state.commit({ writes: [{ kind: 'settleDue', claim, next: null }], effects: [] });
      },
    });
    for (let nth = 0; nth < 1000; nth++) await rig.ask(`device ${nth}`);
    rig.scheduler.start();
    await rig.clock.advance(0);
    assert.equal(rig.done.length, 200);
    resolve();
    await rig.clock.advance(0);
    assert.equal(new Set(rig.done).size, 1000);
    assert.equal(rig.done.length, 1000);
    assert.equal(await rig.state.nextDueAt(), null);
  });

  it('continues after a storage outage', async () => {
    const { scheduler, clock, done, ask, setAway, counts } = createRig();
    scheduler.start();
    await clock.advance(0);
    setAway(true);
    await ask('a');
    await clock.advance(5_000);
    assert.deepEqual(done, []);
    assert.ok((counts.get('due_unreadable') ?? 0) <= 6);
    setAway(false);
    await clock.advance(1_000);
    assert.deepEqual(done, ['a']);
  });

  it('misses nothing that is scheduled while it queries the state', async () => {
    const rig = createRig({
      work: async (claim, state) => {
        const again = { kind: 'askDue', work: claim, at: rig.clock.now().getTime() } as const;
        if (rig.done.length < 5) await state.commit({ writes: [again], effects: [] });
        await rig.settle(claim);
      },
    });
    rig.scheduler.start();
    await rig.ask('a');
    await rig.clock.advance(0);
    assert.equal(rig.done.length, 5);
    assert.equal(await rig.state.nextDueAt(), null);
  });

  it('stops when the claimed work is done', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const rig = createRig({ work: () => promise });
    rig.scheduler.start();
    await rig.ask('a');
    await rig.clock.advance(0);
    let isStopped = false;
    const stopping = rig.scheduler.stop().then(() => {
      isStopped = true;
    });
    await rig.clock.advance(0);
    assert.equal(isStopped, false);
    resolve();
    await stopping;
    await rig.ask('b');
    await rig.clock.advance(60_000);
    assert.deepEqual(rig.done, ['a']);
  });
});
