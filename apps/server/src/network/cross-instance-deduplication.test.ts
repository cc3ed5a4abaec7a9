import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { createMetrics } from '../metrics.ts';
import { connectRedis, type RedisConnection } from '../redis/connection.ts';
import { noRedis, startTestRedis, type TestRedis } from '../testing/redis.ts';
import { createCrossInstanceDeduplication } from './cross-instance-deduplication.ts';

/** Longer than any test on a busy machine: Redis measures real time. */
const patientMs = 600_000;

describe('copies of several instances', { skip: noRedis }, () => {
  let server: TestRedis;
  before(async () => {
    server = await startTestRedis();
  });
  after(() => server[Symbol.asyncDispose]());

  async function instance(instanceID: string, networkServerID = 1, tokenKey = Buffer.alloc(32)) {
    const redis = await connectRedis(server.url, { log: pino({ level: 'silent' }), metrics: createMetrics() });
    let ways = 0;
    const run: RedisConnection['run'] = (work) => {
      ways += 1;
      return redis.run(work, patientMs);
    };
    let there = ['one', 'other'];
    const listeners = new Set<() => void>();
    const onChange = (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
    const cluster = { live: () => there, onChange };
    let nowMs = 0;
    const clock = { monotonicMs: () => nowMs };
    return {
      ...createCrossInstanceDeduplication(
        { redis: { run }, instanceID, cluster, clock, tokenKey, lifetimes: { listMs: patientMs, readMs: patientMs } },
        networkServerID,
      ),
      ways: () => ways,
      /** These instances are live from now on. */
      see: (ids: string[]) => {
        there = ids;
        for (const listener of listeners) listener();
      },
      pass: (seconds: number) => (nowMs += seconds * 1000),
      [Symbol.asyncDispose]: redis.close,
    };
  }

  it('belong to the first instance until it has read them', async () => {
    await using one = await instance('one');
    await using other = await instance('other');
    assert.deepEqual(await one.add([{ key: 'a', id: 1 }]), ['mine']);
    const [ownCopy, peerCopy] = await Promise.all([one.add([{ key: 'a', id: 2 }]), other.add([{ key: 'a', id: 3 }])]);
    assert.deepEqual([ownCopy, peerCopy], [['mine'], ['elsewhere']]);
    assert.deepEqual(new Set(await one.collectCopies('a')), new Set([1, 2, 3]));
    assert.deepEqual(await other.add([{ key: 'a', id: 4 }]), ['late']);
    assert.deepEqual(await one.add([{ key: 'a', id: 5 }]), ['late']);
    assert.deepEqual(await one.collectCopies('a'), []);
  });

  it('are separated by uplink and by network server, however many arrive together', async () => {
    await using one = await instance('one');
    await using other = await instance('other');
    await using elsewhere = await instance('other', 2);
    const copies = Array.from({ length: 450 }, (_, at) => ({ key: `many ${at}`, id: at }));
    const evenCopies = copies.filter(({ id }) => id % 2 === 0);
    assert.deepEqual(new Set(await one.add(evenCopies)), new Set(['mine']));
    const expected = copies.map(({ id }) => (id % 2 === 0 ? 'elsewhere' : 'mine'));
    assert.deepEqual(await other.add(copies), expected);
    assert.deepEqual(await elsewhere.add([{ key: 'many 0', id: 0 }]), ['mine']);
    assert.deepEqual(await one.collectCopies('many 2'), [2, 2]);
  });

  it('are added and read in one round trip for all uplinks of a moment', async () => {
    await using one = await instance('one');
    const keys = Array.from({ length: 50 }, (_, at) => `together ${at}`);
    await Promise.all(keys.map((key, id) => one.add([{ key, id }])));
    assert.equal(one.ways(), 1);
    assert.deepEqual(
      await Promise.all(keys.map((key) => one.collectCopies(key))),
      keys.map((_, id) => [id]),
    );
    assert.equal(one.ways(), 2);
  });

  it('are separated from those of another installation on the same Redis', async () => {
    await using one = await instance('one');
    await using stranger = await instance('stranger', 1, Buffer.alloc(32, 1));
    assert.deepEqual(await one.add([{ key: 'shared', id: 1 }]), ['mine']);
    assert.deepEqual(await stranger.add([{ key: 'shared', id: 1 }]), ['mine']);
  });

  it('are orphaned while their holder is missed, for a limited time', async () => {
    await using one = await instance('one');
    await using other = await instance('other');
    let missed = 0;
    const stop = other.onPeerLost(() => (missed += 1));
    await one.add([{ key: 'left', id: 1 }]);
    await other.add([
      { key: 'left', id: 2 },
      { key: 'own', id: 3 },
    ]);
    assert.deepEqual([other.orphanedCopies(), missed], [[], 0]);
    other.see(['other', 'third']);
    assert.deepEqual([other.orphanedCopies(), missed], [[2], 1]);
    assert.deepEqual(await other.add([{ key: 'left', id: 4 }]), ['unknown'], 'nobody has it in hand');
    other.see(['one', 'other', 'third']);
    assert.deepEqual([other.orphanedCopies(), missed], [[], 1], 'it is back');
    other.see(['other']);
    assert.deepEqual([other.orphanedCopies(), missed], [[2], 2]);
    other.pass(31);
    other.see(['one', 'other']);
    await other.add([{ key: 'left', id: 5 }]);
    stop();
    other.see(['other']);
    assert.deepEqual([other.orphanedCopies(), missed], [[5], 2]);
  });

  it('have an unknown holder while Redis is unavailable', async () => {
    await using one = await instance('one');
    await server.stop();
    assert.deepEqual(await one.add([{ key: 'away', id: 1 }]), ['unknown']);
    assert.deepEqual(await one.collectCopies('away'), []);
    await server.start();
  });

  it('are processed in an order that all instances agree on while the holder is unknown', async () => {
    await using one = await instance('one');
    await using other = await instance('other');
    const turns = Array.from({ length: 40 }, (_, at) => [
      one.priorityOf(`arrival/${at}`),
      other.priorityOf(`arrival/${at}`),
    ]);
    assert.deepEqual(new Set(turns.map((turn) => turn.join())), new Set(['0,1', '1,0']));
  });
});
