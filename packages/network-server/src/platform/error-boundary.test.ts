import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createErrorBoundary } from './error-boundary.ts';

function start() {
  const counted: string[] = [];
  const logged: unknown[] = [];
  const boundary = createErrorBoundary('mqtt', {
    count: (name, labels = {}) => counted.push([name, ...Object.values(labels)].join(' ')),
    log: { debug: () => undefined, error: (fields) => logged.push(fields) },
  });
  let ends = 0;
  const connection = { destroy: () => (ends += 1) };
  return { boundary, counted, logged, connection, ends: () => ends };
}

describe('an error boundary', () => {
  it('ends and counts the connection whose handler throws', () => {
    const { boundary, counted, logged, connection, ends } = start();
    const error = new Error('it broke');
    boundary.guard(connection, () => {
      throw error;
    })();
    assert.deepEqual([ends(), counted], [1, ['connection_errors mqtt handler']]);
    assert.deepEqual(logged, [{ err: error, protocol: 'mqtt' }]);
  });

  it('ends and counts the connection whose handler rejects', async () => {
    const { boundary, counted, connection, ends } = start();
    boundary.guard(connection, async () => {
      throw new Error('it broke');
    })();
    await nextTurn();
    assert.deepEqual([ends(), counted], [1, ['connection_errors mqtt handler']]);
  });

  it('passes the event on, and leaves a connection open whose handler succeeds', async () => {
    const { boundary, counted, connection, ends } = start();
    const received: number[] = [];
    boundary.guard(connection, async (one: number, other: number) => void received.push(one, other))(1, 2);
    await nextTurn();
    assert.deepEqual([received, ends(), counted], [[1, 2], 0, []]);
  });

  it('terminates websockets, and counts silence separately', () => {
    const { boundary, counted } = start();
    let isTerminated = false;
    boundary.end({ terminate: () => (isTerminated = true), destroy: () => assert.fail() }, 'silent');
    assert.deepEqual([isTerminated, counted], [true, ['connection_errors mqtt silent']]);
  });
});
