import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ApiError, operations, unauthenticated } from '@hilltop/contract';
import { inProcessBus } from '../bus/in-process.ts';
import { Unreachable } from '../database/unreachable.ts';
import type { Principal } from '../identity/principals.ts';
import { runStream, type StreamDependencies } from './live-stream.ts';
import { createRightsChecks } from './rights-checks.ts';

const admin: Principal = {
  kind: 'user',
  id: '7',
  sessionID: 's',
  email: 'a@example.org',
  isAdmin: true,
  isActive: true,
  memberships: [],
};

/** An open stream of an administrator whose session can end, and the reason for its end. */
async function open(t: TestContext, endsWhileOpening = false) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let isOver = false;
  let isAway = false;
  let looks = 0;
  const shown: unknown[] = [];
  const bus = inProcessBus((error) => assert.fail(String(error)));
  const running = Promise.withResolvers<(item: object) => void>();
  const principals = {
    ofToken: async () => {
      looks += 1;
      if (isOver) throw unauthenticated();
      if (isAway) throw new Unreachable(new Error('away'));
      return admin;
    },
  };
  const watched = {
    ...bus,
    subscribe: (async (...args: Parameters<typeof bus.subscribe>) => {
      if (endsWhileOpening) isOver = true;
      return bus.subscribe(...args);
    }) as typeof bus.subscribe,
  };
  const needs = {
    principals,
    bus: watched,
    metrics: { count: () => undefined, beginCall: () => () => undefined },
  } as unknown as StreamDependencies;
  const closed = Promise.withResolvers<ApiError | undefined>();
  const send = (item: object) => shown.push(item) > 0;
  const outlet = { send, end: closed.resolve, onGone: () => undefined, isForeign: false };
  const source = (_request: unknown, push: (item: object) => void, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve());
      running.resolve(push);
    });
  const read = () => ({ devEUI: '0102030405060708' });
  const call = {
    operation: operations.device.streamEventLogs,
    source: source as never,
    token: 't',
    address: '192.0.2.1',
    read,
  };
  void runStream(needs, call, outlet, { endings: new Set(), rounds: createRightsChecks() });
  if (!endsWhileOpening) await running.promise;
  await nextTurn();
  return {
    closed: closed.promise,
    bus,
    endSession: () => {
      isOver = true;
    },
    shown,
    show: async (item: object) => (await running.promise)(item),
    /** Sets whether the database is unavailable, and resolves after the next check of the rights. */
    look: async (away: boolean) => {
      isAway = away;
      const before = looks;
      t.mock.timers.tick(2_000);
      while (looks === before) await nextTurn();
      await nextTurn();
    },
  };
}

describe('an open stream', () => {
  it('survives an unavailable database, and shows nothing until the rights are checked again', async (t) => {
    const { show, shown, look } = await open(t);
    await show({ nth: 1 });
    await look(true);
    await show({ nth: 2 });
    await look(true);
    await show({ nth: 3 });
    assert.deepEqual(shown, [{ nth: 1 }]);
    await look(false);
    await show({ nth: 4 });
    assert.deepEqual(shown, [{ nth: 1 }, { nth: 2 }, { nth: 3 }, { nth: 4 }]);
  });

  it('ends when the database is unavailable for long, or when the right was lost meanwhile', async (t) => {
    const long = await open(t);
    for (let looks = 0; looks < 16; looks += 1) await long.look(true);
    assert.equal((await long.closed)?.reason, 'DATABASE_BUSY');
    t.mock.timers.reset();
    const ended = await open(t);
    await ended.look(true);
    await ended.show({ nth: 1 });
    ended.endSession();
    await ended.look(false);
    assert.equal((await ended.closed)?.code, 16);
    assert.deepEqual(ended.shown, []);
  });

  it('ends at once when a change of access is published', async (t) => {
    const { closed, bus, endSession } = await open(t);
    endSession();
    bus.publish('access-changed', '7', { userID: '7' });
    assert.equal((await closed)?.code, 16);
  });

  it('ends at the next check without a published change', async (t) => {
    const { closed, endSession } = await open(t);
    await new Promise((resolve) => setImmediate(resolve));
    endSession();
    t.mock.timers.tick(2_000);
    assert.equal((await closed)?.code, 16);
  });

  it('ends when the right is lost while the stream opens', async (t) => {
    const { closed } = await open(t, true);
    assert.equal((await closed)?.code, 16);
  });
});
