import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { generate, type IConnectPacket, type Packet } from 'mqtt-packet';
import { testBoundary } from '../testing/mqtt.ts';
import { startProtocol } from './protocol.ts';
import type { Reason } from './reasons.ts';
import type { Published, SignedIn } from './signed-in.ts';

const version5 = { protocolVersion: 5 } as const;
const bytesOf = (packet: Packet) => generate(packet, version5 as never);
const connectOf = (more: Partial<IConnectPacket> = {}) =>
  bytesOf({ cmd: 'connect', ...version5, clean: true, clientId: 'c', keepalive: 0, ...more });
const publishOf = (messageId: number, more: Record<string, unknown> = {}) =>
  bytesOf({
    cmd: 'publish',
    topic: 't',
    payload: 'p',
    qos: 1,
    messageId,
    dup: false,
    retain: false,
    ...more,
  } as Packet);
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
};

/** A connection without a network: the test sends as the client, and collects the answers of the broker. */
function start({ reads = true, publish = async (_message: Published) => {}, unsubscribe = () => true } = {}) {
  const sent: Buffer[] = [];
  const ends: (Reason | undefined)[] = [];
  const charged: number[] = [];
  const failures: unknown[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer, _encoding, done) => {
      sent.push(bytes);
      if (reads) done();
    },
  });
  const signedIn = {
    publish,
    subscribe: async () => 0,
    unsubscribe,
    end: () => undefined,
    acknowledged: () => undefined,
    hangsBack: async () => undefined,
  } as unknown as SignedIn;
  const protocol = startProtocol(stream, {
    mostBytes: () => 65_536,
    wait: () => 0,
    charge: (bytes) => charged.push(bytes),
    pace: async () => undefined,
    signIn: async () => signedIn,
    onRefused: () => undefined,
    onFailure: (error) => failures.push(error),
    onEnd: (reason) => ends.push(reason),
    boundary: testBoundary((error) => failures.push(error)),
  });
  return { stream, protocol, sent, ends, charged, failures };
}

describe('a connection', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('reports why a message could not be processed before it ends as unavailable', async () => {
    const error = new Error('the database is away');
    const { stream, ends, failures } = start({ publish: () => Promise.reject(error) });
    stream.push(connectOf());
    await settle();
    stream.push(publishOf(1));
    await settle();
    assert.deepEqual([failures, ends], [[error], ['unavailable']]);
  });

  it('ends alone when its handler fails, at once or later', async () => {
    const error = new Error('broken handler');
    const unsubscribe = () => {
      throw error;
    };
    const { stream, ends, failures } = start({ unsubscribe });
    stream.push(connectOf());
    await settle();
    stream.push(bytesOf({ cmd: 'unsubscribe', messageId: 1, unsubscriptions: ['t'] }));
    await settle();
    assert.deepEqual(failures, [error]);
    assert.deepEqual(ends, [undefined]);
    assert.ok(stream.destroyed);
  });

  it('is charged for large content besides the payload', async () => {
    const { stream, charged } = start();
    stream.push(connectOf());
    stream.push(publishOf(1, { payload: 'x'.repeat(60_000) }));
    await settle();
    assert.deepEqual(charged, []);
    const userProperties = { a: Array.from({ length: 2_000 }, () => 'b') };
    stream.push(publishOf(2, { properties: { userProperties } }));
    await settle();
    assert.equal(charged.length, 1);
    assert.ok(charged[0]! > 10_000);
  });

  it('is not read from while its answers are not read', async () => {
    const { stream } = start({ reads: false });
    stream.push(connectOf());
    await settle();
    const pings = Buffer.alloc(64_000, generate({ cmd: 'pingreq' }));
    for (let round = 0; round < 40; round++) stream.push(pings);
    await settle();
    assert.ok(stream.writableLength > 1 << 20 && stream.writableLength < 1.1 * (1 << 20));
    assert.ok(stream.readableLength > 1_000_000);
  });

  it('is read no further while messages of more than 256 kB wait for those before them', async () => {
    const taken: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const { stream } = start({
      publish: async ({ topic }) => {
        taken.push(topic);
        await promise;
      },
    });
    stream.push(connectOf());
    await settle();
    const message = (at: number) => publishOf(at, { topic: `t${at}`, qos: 0, payload: 'x'.repeat(60_000) });
    for (let at = 1; at <= 8; at++) stream.push(message(at));
    await settle();
    // The fifth is the one above the limit.
    assert.deepEqual([taken, stream.readableLength], [['t1'], 3 * message(1).length]);
    resolve();
    await settle();
    assert.deepEqual([taken.length, stream.readableLength], [8, 0]);
  });

  it('that does not read its last answer is closed after a second', async () => {
    const { stream, protocol, ends } = start({ reads: false });
    stream.push(connectOf());
    await settle();
    protocol.close('slow');
    await settle();
    assert.equal(stream.destroyed, false);
    mock.timers.tick(1_000);
    assert.equal(stream.destroyed, true);
    assert.deepEqual(ends, ['slow']);
  });

  it('without a CONNECT ends after ten seconds, and a silent one after one and a half intervals', async () => {
    const silent = start();
    mock.timers.tick(9_999);
    assert.deepEqual(silent.ends, []);
    mock.timers.tick(1);
    assert.deepEqual(silent.ends, ['connect_timeout']);
    const { stream, ends } = start();
    stream.push(connectOf({ keepalive: 10 }));
    await settle();
    mock.timers.tick(14_999);
    assert.deepEqual(ends, []);
    mock.timers.tick(1);
    assert.deepEqual(ends, ['keep_alive']);
  });

  it('acknowledges messages in order after they were processed, and ends when one was not', async () => {
    const waiting: PromiseWithResolvers<void>[] = [];
    const { stream, sent, ends } = start({
      publish: () => {
        const one = Promise.withResolvers<void>();
        waiting.push(one);
        return one.promise;
      },
    });
    stream.push(Buffer.concat([connectOf(), publishOf(1), publishOf(2), publishOf(3)]));
    await settle();
    assert.deepEqual([sent.length, waiting.length], [1, 1]);
    waiting[0]!.resolve();
    await settle();
    assert.deepEqual([...sent[1]!], [0x40, 2, 0, 1]);
    waiting[1]!.reject(new Error('The storage is away.'));
    await settle();
    assert.deepEqual([waiting.length, ends], [2, ['unavailable']]);
    assert.deepEqual([...sent[2]!.subarray(0, 1)], [0xe0]);
  });
});
