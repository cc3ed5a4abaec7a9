import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import pino from 'pino';
import type { ClusterConnection } from './cluster-connection.ts';
import { Leases } from './leases.ts';

/** A connection whose statements are recorded; every lock is free. */
function freeLocks() {
  const statements: string[] = [];
  let client = 1;
  const connection = {
    get client() {
      return client as never;
    },
    query: async (text: string, [names]: [string[]?] = [], by: unknown = client) => {
      statements.push(`${String(by)} ${text.includes('unnest') ? `acquire ${names!.join()}` : text.split('(')[0]!}`);
      return (names ?? []).map((name) => ({ name, got: true }));
    },
  };
  return { connection: connection as unknown as ClusterConnection, statements, reconnect: () => (client += 1) };
}

function workOf() {
  const finished = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    signals.push(signal);
    return finished.promise;
  };
  return { work, signals, finish: finished.resolve };
}

const log = pino({ level: 'silent' });

describe('leases', () => {
  it('are handed back when they belong to another instance, after the work has ended', async () => {
    const { connection, statements } = freeLocks();
    let isMine = true;
    const leases = new Leases({ connection, log, isMine: () => isMine });
    const { work, signals, finish } = workOf();
    leases.add('a', work);
    await leases.balance();
    assert.deepEqual([signals.length, signals[0]!.aborted], [1, false]);
    isMine = false;
    await leases.balance();
    await turn();
    assert.equal(signals[0]!.aborted, true);
    assert.deepEqual(statements, ['1 acquire a']);
    finish();
    await turn();
    assert.deepEqual(statements, ['1 acquire a', '1 select pg_advisory_unlock']);
  });

  it('start no work again before the earlier run has ended', async () => {
    const { connection } = freeLocks();
    const leases = new Leases({ connection, log, isMine: () => true });
    const { work, signals, finish } = workOf();
    leases.add('a', work);
    await leases.balance();
    leases.loseAll();
    assert.equal(signals[0]!.aborted, true);
    await leases.balance();
    assert.equal(signals.length, 1);
    finish();
    await turn();
    await leases.balance();
    assert.equal(signals.length, 2);
  });

  it('are unlocked on the connection that holds the lock, not on a later one', async () => {
    const { connection, statements, reconnect } = freeLocks();
    let isMine = true;
    const leases = new Leases({ connection, log, isMine: () => isMine });
    const { work, finish } = workOf();
    leases.add('a', work);
    await leases.balance();
    isMine = false;
    await leases.balance();
    reconnect();
    finish();
    await turn();
    assert.equal(statements.at(-1), '1 select pg_advisory_unlock');
  });

  it('are handed back at once when no longer needed by the time they are acquired', async () => {
    const { connection, statements } = freeLocks();
    const leases = new Leases({ connection, log, isMine: () => true });
    const { work, signals, finish } = workOf();
    const end = leases.add('a', work);
    const balancing = leases.balance();
    await Promise.all([balancing, end()]);
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true],
    );
    finish();
    await turn();
    assert.deepEqual(statements, ['1 acquire a', '1 select pg_advisory_unlock']);
  });
});
