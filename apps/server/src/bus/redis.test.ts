import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { createMetrics } from '../metrics.ts';
import { connectRedis } from '../redis/connection.ts';
import { storedEvent } from '../testing/event.ts';
import { noRedis, startTestRedis, type TestRedis } from '../testing/redis.ts';
import type { Bus } from './bus.ts';
import { busConformance } from './bus-conformance.ts';
import { redisBus } from './redis.ts';

const log = pino({ level: 'silent' });
const fail = (error: unknown) => assert.fail(String(error));
const devEUI = '0102030405060708';

describe('bus on Redis', { skip: noRedis }, () => {
  let server: TestRedis;
  before(async () => {
    server = await startTestRedis();
  });
  after(() => server[Symbol.asyncDispose]());

  async function instance(
    id: string,
    {
      tokenKey = new Uint8Array(32),
      onError = fail,
      live = () => [],
    }: { tokenKey?: Uint8Array; onError?: (error: unknown) => void; live?: () => readonly string[] } = {},
  ) {
    const metrics = createMetrics();
    const redis = await connectRedis(server.url, { log, metrics });
    const bus = await redisBus({ redis, id, tokenKey, live, metrics, onError });
    const close = async () => {
      await bus.close();
      await redis.close();
    };
    return { ...bus, close, redis, metrics, [Symbol.asyncDispose]: close };
  }

  busConformance('Redis, one instance', (onError) => instance('one', { onError }));
  busConformance('Redis, from one instance to the other', async (onError): Promise<Bus> => {
    const tokenKey = randomBytes(32);
    const live = () => ['one', 'other'];
    const [one, other] = await Promise.all([
      instance('one', { tokenKey, onError, live }),
      instance('other', { tokenKey, onError, live }),
    ]);
    const close = async () => void (await Promise.all([one.close(), other.close()]));
    return {
      ...other,
      publish: (...event) => one.publish(...event),
      changeCount: () => one.changeCount(),
      confirmed: (before) => one.confirmed(before),
      close,
    };
  });

  it('calls listeners for peers with messages of peers only', async () => {
    await using one = await instance('one');
    await using other = await instance('other');
    const arrived: string[] = [];
    const full = Promise.withResolvers<void>();
    await one.subscribeToPeers('access-changed', 'a', ({ userID }) => {
      if (arrived.push(userID) === 2) full.resolve();
    });
    one.publish('access-changed', 'a', { userID: 'mine' });
    other.publish('access-changed', 'a', { userID: 'first' });
    other.publish('access-changed', 'a', { userID: 'second' });
    await full.promise;
    assert.deepEqual(arrived, ['first', 'second']);
  });

  it('asks one instance, itself, or all peers', async () => {
    await using one = await instance('one');
    await using other = await instance('other');
    await using third = await instance('third');
    one.answer('alive', () => ({ forMs: 1 }));
    other.answer('alive', async () => ({ forMs: 2 }));
    third.answer('alive', () => ({ forMs: 3 }));
    assert.deepEqual(await one.ask('other', 'alive', {}, 5_000), { forMs: 2 });
    assert.deepEqual(await one.ask('one', 'alive', {}, 5_000), { forMs: 1 });
    const all = await one.askPeers('alive', {}, 5_000);
    assert.deepEqual(new Set(all.map(({ forMs }) => forMs)), new Set([2, 3]));
  });

  it('has no answer of an unknown instance, without a handler, or after a failure', async () => {
    const failed = Promise.withResolvers<unknown>();
    await using one = await instance('one');
    await using other = await instance('other', { onError: failed.resolve });
    // Redis reports at once that nobody subscribes to the channel, so the time limit is not reached.
    assert.equal(await one.ask('gone', 'alive', {}, 3_600_000), undefined);
    assert.equal(await one.ask('other', 'alive', {}, 50), undefined);
    other.answer('alive', () => {
      throw new Error('handler failed');
    });
    assert.equal(await one.ask('other', 'alive', {}, 50), undefined);
    assert.equal(((await failed.promise) as Error).message, 'handler failed');
  });

  it('ignores messages of other installations and messages without a valid signature', async () => {
    await using one = await instance('one');
    await using stranger = await instance('one', { tokenKey: randomBytes(32) });
    const arrived: string[] = [];
    await one.subscribe('access-changed', 'a', ({ userID }) => arrived.push(userID));
    stranger.publish('access-changed', 'a', { userID: 'stranger' });

    const forger = new Redis(server.url);
    const [channel] = (await forger.pubsub('CHANNELS', '*access-changed:a')) as string[];
    const body = JSON.stringify({ v: 1, from: 'other', payload: { userID: 'forged' } });
    await forger.publish(channel!, `${'A'.repeat(43)}${body}`);
    forger.disconnect();

    await using other = await instance('other');
    const full = Promise.withResolvers<void>();
    await one.subscribe('access-changed', 'a', () => full.resolve());
    other.publish('access-changed', 'a', { userID: 'known' });
    await full.promise;
    assert.deepEqual(arrived, ['known']);
    assert.match(await one.metrics.text(), /hilltop_bus_messages_dropped_total\{reason="signature"\} 1/);
  });

  it('confirms a change when the peer has processed it, not when Redis has accepted it', async () => {
    const live = () => ['one', 'other'];
    await using one = await instance('one', { live });
    await using other = await instance('other', { live });
    const arrived: string[] = [];
    await other.subscribe('access-changed', 'a', ({ userID }) => arrived.push(userID));
    other.redis.subscriber.stream.pause();
    const before = one.changeCount();
    one.publish('access-changed', 'a', { userID: '1' });
    const confirmed = one.confirmed(before);
    // Redis answers in order: it has accepted the change and the question by then.
    await one.redis.run((commands) => commands.ping(), 5_000);
    assert.deepEqual(arrived, []);
    other.redis.subscriber.stream.resume();
    await confirmed;
    assert.deepEqual(arrived, ['1']);
  });

  it('waits once for a peer that does not confirm, and again after it has answered', async () => {
    const live = () => ['one', 'other', 'frozen'];
    await using one = await instance('one', { live });
    await using other = await instance('other', { live });
    const missed = async () => /^hilltop_bus_confirmations_missed_total (\d+)$/m.exec(await one.metrics.text())?.[1];
    assert.equal(await missed(), '0');
    const arrived: string[] = [];
    await other.subscribe('access-changed', 'a', ({ userID }) => arrived.push(userID));
    async function change(userID: string) {
      const before = one.changeCount();
      one.publish('access-changed', 'a', { userID });
      await one.confirmed(before);
      assert.equal(arrived.at(-1), userID);
    }
    await change('1');
    assert.equal(await missed(), '1');
    // The timer of a confirmation is the longest one here: one that expired would be counted.
    for (const userID of ['2', '3', '4']) await change(userID);
    assert.equal(await missed(), '1');

    const frozen = await instance('frozen', { live });
    await change('5');
    await frozen.close();
    await change('6');
    assert.equal(await missed(), '2');
  });

  it('waits for peers again after Redis was paused', async () => {
    const live = () => ['one', 'other'];
    await using one = await instance('one', { live });
    await using other = await instance('other', { live });
    const arrived: string[] = [];
    await other.subscribe('access-changed', 'a', ({ userID }) => arrived.push(userID));
    other.redis.subscriber.stream.pause();
    server.pause();
    one.publish('access-changed', 'a', { userID: '1' });
    await one.confirmed(0);
    assert.match(await one.metrics.text(), /hilltop_bus_confirmations_missed_total 1/);
    server.resume();
    const before = one.changeCount();
    one.publish('access-changed', 'a', { userID: '2' });
    const confirmed = one.confirmed(before);
    await one.redis.run((commands) => commands.ping(), 5_000);
    other.redis.subscriber.stream.resume();
    await confirmed;
    assert.equal(arrived.at(-1), '2');
  });

  it('does not wait while Redis is unavailable or without peers', async () => {
    await using one = await instance('one', { live: () => ['one', 'other'] });
    await using alone = await instance('alone', { live: () => ['alone'] });
    alone.publish('access-changed', 'a', { userID: '1' });
    await alone.confirmed(0);
    await server.stop();
    one.publish('access-changed', 'a', { userID: '2' });
    await one.confirmed(0);
    await server.start();
    for (const { metrics } of [one, alone])
      assert.match(await metrics.text(), /^hilltop_bus_confirmations_missed_total 0$/m);
  });

  for (const [what, away, back] of [
    ['killed', () => server.stop(), () => server.start()],
    ['paused', async () => server.pause(), async () => server.resume()],
  ] as const)
    it(`calls local listeners while Redis is ${what}, and peers when Redis is available again`, async () => {
      await using one = await instance('one');
      await using other = await instance('other');
      const arrived: string[] = [];
      const own: string[] = [];
      let wake = () => {};
      await other.subscribe('device-event', devEUI, ({ id }) => {
        arrived.push(id);
        wake();
      });
      await one.subscribe('device-event', devEUI, ({ id }) => own.push(id));
      await away();
      one.publish('device-event', devEUI, storedEvent(devEUI, '1-0'));
      assert.equal(await one.ask('other', 'alive', {}, 100), undefined);
      assert.deepEqual(own, [`${devEUI}-1-0`]);
      await back();
      const isBack = () => arrived.some((id) => id !== `${devEUI}-1-0`) && !one.redis.isAway() && !other.redis.isAway();
      for (let round = 1; !isBack(); round += 1) {
        const received = new Promise<void>((resolve) => {
          wake = resolve;
        });
        one.publish('device-event', devEUI, storedEvent(devEUI, `2-${round}`));
        await Promise.race([received, sleep(50)]);
      }
    });
});
