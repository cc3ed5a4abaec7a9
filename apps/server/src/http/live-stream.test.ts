import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type ApiError, operations, unauthenticated } from '@hilltop/contract';
import { inProcessBus } from '../bus/in-process.ts';
import type { Needs } from '../needs.ts';
import { runStream } from './live-stream.ts';
import type { Principal } from './principals.ts';

const admin: Principal = {
  kind: 'user',
  id: '7',
  sessionID: 's',
  email: 'a@example.org',
  isAdmin: true,
  isActive: true,
  memberships: [],
};

/** An open stream of an administrator whose session can end, and why it was closed. */
async function open(t: TestContext, endsWhileOpening = false) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let isOver = false;
  const bus = inProcessBus((error) => assert.fail(String(error)));
  const running = Promise.withResolvers<void>();
  const principals = {
    ofToken: async () => {
      if (isOver) throw unauthenticated();
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
  } as unknown as Needs;
  const closed = Promise.withResolvers<ApiError | undefined>();
  const outlet = { send: () => true, end: closed.resolve, onGone: () => undefined, isForeign: false };
  const source = (_request: unknown, _push: unknown, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve());
      running.resolve();
    });
  const read = () => ({ devEUI: '0102030405060708' });
  const call = { operation: operations.device.streamEventLogs, source: source as never, token: 't', read };
  void runStream(needs, call, outlet, new Set());
  if (!endsWhileOpening) await running.promise;
  return {
    closed: closed.promise,
    bus,
    endSession: () => {
      isOver = true;
    },
  };
}

describe('an open stream', () => {
  it('ends at once when a change of access is told', async (t) => {
    const { closed, bus, endSession } = await open(t);
    endSession();
    bus.publish('access-changed', '7', { userID: '7' });
    assert.equal((await closed)?.code, 16);
  });

  it('ends at the next look when nobody told', async (t) => {
    const { closed, endSession } = await open(t);
    await new Promise((resolve) => setImmediate(resolve));
    endSession();
    t.mock.timers.tick(2_000);
    assert.equal((await closed)?.code, 16);
  });

  it('ends when the right was lost while it was being opened', async (t) => {
    const { closed } = await open(t, true);
    assert.equal((await closed)?.code, 16);
  });
});
