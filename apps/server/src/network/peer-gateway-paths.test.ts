import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGatewayPaths, type GatewayPath } from '@hilltop/network-server';
import { create, gw } from '@hilltop/protobuf';
import { pino } from 'pino';
import { redisBus } from '../bus/redis.ts';
import { systemClock } from '../clock.ts';
import { createMetrics } from '../metrics.ts';
import { connectRedis } from '../redis/connection.ts';
import { noRedis, startTestRedis, type TestRedis } from '../testing/redis.ts';
import { createPeerGatewayPaths } from './peer-gateway-paths.ts';

const gatewayID = '0a00000000000001';
const frame = create(gw.DownlinkFrame, {
  gatewayID: Uint8Array.fromHex(gatewayID),
  downlinkID: new Uint8Array(16).fill(7),
  items: [{ phyPayload: Uint8Array.of(1, 2, 3) }],
});
const ack = create(gw.DownlinkTXAck, { ...frame, items: [{ status: 'OK' }] });

describe('paths of several instances', { skip: noRedis }, () => {
  let server: TestRedis;
  before(async () => {
    server = await startTestRedis();
  });
  after(() => server[Symbol.asyncDispose]());

  async function instance(instanceID: string) {
    const metrics = createMetrics();
    const redis = await connectRedis(server.url, { log: pino({ level: 'silent' }), metrics });
    const onError = (error: unknown) => assert.fail(String(error));
    const bus = await redisBus({
      redis,
      id: instanceID,
      tokenKey: new Uint8Array(32),
      live: () => [],
      metrics,
      onError,
    });
    const peerPaths = createPeerGatewayPaths({ bus, instanceID, clock: systemClock, count: metrics.count });
    const paths = createGatewayPaths(peerPaths);
    const answers: gw.DownlinkTXAck[] = [];
    await peerPaths.start((answer) => answers.push(answer));
    const sent: gw.DownlinkFrame[] = [];
    const pathFrom = (source: string): GatewayPath => ({
      link: 'semtech-udp',
      isProven: false,
      source,
      send: (one) => sent.push(one) > 0,
    });
    const close = async () => {
      peerPaths.stop();
      await bus.close();
      await redis.close();
    };
    return { peerPaths, paths, answers, sent, pathFrom, close, [Symbol.asyncDispose]: close };
  }

  const until = async (isSo: () => boolean) => {
    while (!isSo()) await sleep(5);
  };

  it('lead to the instance with the gateway, and its TX acknowledgement back to the sender', async () => {
    await using one = await instance('one');
    await using other = await instance('other');
    one.paths.open(gatewayID, one.pathFrom('192.0.2.1'));
    await until(() => other.paths.has(gatewayID));
    assert.equal(other.paths.send(gatewayID, frame), true);
    await until(() => one.sent.length === 1);
    assert.deepEqual(one.sent[0]?.items[0]?.phyPayload, frame.items[0]?.phyPayload);
    assert.equal(one.paths.isAnswerForOthers(ack), true);
    assert.equal(one.paths.isAnswerForOthers(ack), false);
    await until(() => other.answers.length === 1);
    assert.deepEqual(other.answers[0]?.items, [{ status: 'OK' }]);
  });

  it('are published when there was no path before, whichever instance opens them', async () => {
    await using one = await instance('one');
    await using other = await instance('other');
    const openedAt: string[] = [];
    const stop = other.paths.onOpened((opened) => openedAt.push(opened));
    const path = one.pathFrom('192.0.2.1');
    one.paths.open(gatewayID, path);
    await until(() => openedAt.length === 1);
    other.paths.open(gatewayID, other.pathFrom('192.0.2.1'));
    await until(() => one.paths.of(gatewayID) !== path);
    assert.deepEqual(openedAt, [gatewayID]);
    stop();
    other.paths.open('0a00000000000002', other.pathFrom('192.0.2.1'));
    assert.deepEqual(openedAt, [gatewayID]);
  });

  it('are known to an instance that starts later', async () => {
    await using one = await instance('one');
    one.paths.open(gatewayID, one.pathFrom('192.0.2.1'));
    await using other = await instance('other');
    assert.equal(other.paths.has(gatewayID), true);
  });

  it('move with the next PULL_DATA of the same address, and not of others while the gateway pulls', async () => {
    await using one = await instance('one');
    await using other = await instance('other');
    const first = one.pathFrom('192.0.2.1');
    one.paths.open(gatewayID, first);
    await until(() => other.paths.has(gatewayID));
    assert.equal(other.paths.open(gatewayID, other.pathFrom('192.0.2.66')), false);
    assert.equal(other.paths.open(gatewayID, other.pathFrom('192.0.2.1')), true);
    await until(() => one.paths.of(gatewayID) !== first);
    one.paths.send(gatewayID, frame);
    await until(() => other.sent.length === 1);
    one.paths.close(gatewayID, first);
    await sleep(50);
    assert.equal(other.paths.has(gatewayID), true);
  });

  it('end with the instance, and the sender is informed', async () => {
    await using one = await instance('one');
    await using other = await instance('other');
    one.paths.open(gatewayID, one.pathFrom('192.0.2.1'));
    await until(() => other.paths.has(gatewayID));
    await one.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    assert.equal(other.paths.send(gatewayID, frame, resolve), true);
    await promise;
    assert.equal(other.paths.has(gatewayID), false);
  });

  it('end when no instance has the gateway any more', async () => {
    await using one = await instance('one');
    await using other = await instance('other');
    const path = one.pathFrom('192.0.2.1');
    one.paths.open(gatewayID, path);
    await until(() => other.paths.has(gatewayID));
    one.paths.close(gatewayID, path);
    await until(() => !other.paths.has(gatewayID));
    other.peerPaths.live(['other']);
    assert.equal(other.paths.send(gatewayID, frame), false);
  });
});
