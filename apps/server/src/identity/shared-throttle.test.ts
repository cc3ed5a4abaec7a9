import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { createMetrics } from '../metrics.ts';
import { connectRedis, type RedisConnection } from '../redis/connection.ts';
import { noRedis, startTestRedis, type TestRedis } from '../testing/redis.ts';
import { createSharedThrottle } from './shared-throttle.ts';

describe('a throttle of several instances', { skip: noRedis }, () => {
  let server: TestRedis;
  let redis: RedisConnection;
  before(async () => {
    server = await startTestRedis();
    redis = await connectRedis(server.url, { log: pino({ level: 'silent' }), metrics: createMetrics() });
  });
  after(async () => {
    await redis.close();
    await server[Symbol.asyncDispose]();
  });

  const secrets = { tokenKey: new Uint8Array(32) } as never;
  const clock = { monotonicMs: () => 0 } as never;
  /** The throttle of one more instance. */
  const throttle = (name: string, perMinute: number) =>
    createSharedThrottle({ clock, redis, secrets }, name, perMinute);

  it('allows the same number of attempts at all instances together, then answers how long to wait', async () => {
    const all = [throttle('together', 3), throttle('together', 3), throttle('together', 3)];
    for (const one of all) assert.equal(await one.take('a'), 0);
    for (const one of all) assert.ok([19, 20].includes(await one.take('a')));
    assert.equal(await all[0]!.take('b'), 0);
    assert.equal(await throttle('another', 3).take('a'), 0);
  });

  it('counts neither returned nor refused attempts', async () => {
    const [one, other] = [throttle('given back', 2), throttle('given back', 2)];
    await one.take('a');
    await one.take('a');
    for (let tries = 0; tries < 5; tries += 1) assert.ok((await other.take('a')) > 0);
    one.giveBack('a');
    assert.equal(await other.take('a'), 0);
    for (let tries = 0; tries < 5; tries += 1) {
      assert.ok((await one.take('a')) > 0);
      other.giveBack('a');
      assert.equal(await other.take('a'), 0);
    }
  });

  it('stores no identities in Redis, and only incomplete buckets', async () => {
    await redis.run((commands) => commands.flushall(), 1000);
    const one = throttle('private', 6);
    await one.take('somebody@example.org');
    const keys = await redis.run((commands) => commands.keys('*'), 1000);
    assert.equal(keys?.length, 1);
    assert.doesNotMatch(keys[0]!, /somebody/);
    const left = await redis.run((commands) => commands.pttl(keys[0]!), 1000);
    assert.ok(left! > 0 && left! <= 10_000, String(left));
    one.giveBack('somebody@example.org');
    assert.deepEqual(await redis.run((commands) => commands.keys('*'), 1000), []);
  });
});
