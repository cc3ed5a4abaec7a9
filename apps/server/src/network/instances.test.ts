import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import { after, before, describe, it } from 'node:test';

import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@hilltop/contract';
import { createDevice as createSimulatedDevice, type Gateway, startGateway } from '@hilltop/simulator';
import { databases } from '../testing/databases.ts';
import { createDevice, createGateway, createSurroundings, type FieldContext } from '../testing/field.ts';
import { createInstanceProcesses, type Instance, type InstanceProcesses } from '../testing/instances.ts';
import { noRedis } from '../testing/redis.ts';
import type { TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

const skip = noRedis || (!databases.includes('postgres') && 'no PostgreSQL');

describe('three instances', { skip }, () => {
  let processes: InstanceProcesses;
  let instances: Instance[];
  let surroundings: FieldContext;
  /** One gateway at each instance. */
  let gateways: Gateway[];
  let gatewayID: string;
  const app = (at = 0) => instances[at]!.app;

  before(async () => {
    processes = await createInstanceProcesses({ HILLTOP_EVENT_HISTORY: '1000' });
    instances = [await processes.start(), ...(await Promise.all([processes.start(), processes.start()]))];
    surroundings = await createSurroundings(app());
    gatewayID = await createGateway(app(), surroundings.organizationID);
    gateways = [];
    const gatewayIDs = [];
    for (const _ of instances) gatewayIDs.push(await createGateway(app(), surroundings.organizationID));
    for (const [at, { udpPort }] of instances.entries()) {
      const gateway = await startGateway({
        server: `127.0.0.1:${udpPort}`,
        gatewayID: gatewayIDs[at]!,
        keepaliveMs: 1000,
      });
      gateways.push(gateway);
      await gateway.online();
    }
  });
  after(async () => {
    for (const gateway of gateways) await gateway.stop();
    await processes[Symbol.asyncDispose]();
  });

  it('create one event for an uplink that all of them received', async () => {
    const devices = await Promise.all(Array.from({ length: 5 }, () => personalized(app(), surroundings)));
    for (let fCnt = 0; fCnt < 4; fCnt++) {
      for (const { device } of devices) {
        const uplink = device.uplink({ fPort: 1, data: Uint8Array.of(fCnt) });
        await Promise.all(gateways.map((gateway) => gateway.receiveFrame(uplink).acknowledged));
      }
    }
    const arrived: number[] = [];
    for (const { devEUI } of devices) {
      const events = await eventsOf(app(1), devEUI, new Set([0, 1, 2, 3]));
      assert.deepEqual(
        events.map(({ fCnt }) => fCnt),
        [0, 1, 2, 3],
      );
      arrived.push(...events.map(({ gateways: count }) => count));
    }
    // On a machine that paused for a while, a copy may arrive after its window.
    assert.ok(arrived.filter((count) => count === 3).length > arrived.length / 2, `heard by ${arrived.join(', ')}`);
  });

  it('process what a paused or killed instance acknowledged before later uplinks', async () => {
    const { devEUI, device } = await personalized(app(), surroundings);
    const receiveFrame = (at: number) => gateways[at]!.receiveFrame(device.uplink({ fPort: 1 })).acknowledged;
    await receiveFrame(1);
    await eventsOf(app(), devEUI, new Set([0]));
    const { child } = instances[2]!;
    for (let times = 0; times < 3; times += 1) {
      await receiveFrame(2);
      child.kill('SIGSTOP');
      await receiveFrame(times % 2);
      await eventsOf(app(), devEUI, new Set([2 * times + 2]));
      child.kill('SIGCONT');
    }
    await receiveFrame(2);
    child.kill('SIGKILL');
    await receiveFrame(0);
    const order = Array.from({ length: 9 }, (_, fCnt) => fCnt);
    assert.deepEqual(await countersOf(app(), devEUI, new Set(order)), order);
    instances[2] = await processes.start();
  });

  it('send a downlink through the instance with the path, and receive its TX acknowledgement', async () => {
    const { devEUI, device } = await personalized(app(), surroundings);
    // It connects to the first instance from another port. Its next PULL_DATA from there changes the path.
    await using pullingGateway = await startGateway({
      server: `127.0.0.1:${instances[0]!.udpPort}`,
      gatewayID,
      keepaliveMs: 0,
    });
    await pullingGateway.online();
    await settled();
    await using sendingGateway = await startGateway({
      server: `127.0.0.1:${instances[1]!.udpPort}`,
      gatewayID,
      txAck: () => '',
    });
    await sendingGateway.online();
    await settled();
    await app(2).call(operations.deviceQueue.enqueue, {
      deviceQueueItem: { devEUI, fPort: 5, data: Buffer.from('down').toString('base64'), confirmed: false },
    });
    await using events = await watch(app(2).url, `/api/devices/${devEUI}/events`, app(2).adminToken);
    await pullingGateway.receiveFrame(device.uplink({ fPort: 1 })).acknowledged;
    const { phyPayload } = await sendingGateway.nextDownlink(10_000);
    const received = device.receive(phyPayload);
    assert.equal(received.kind === 'data' && Buffer.from(received.data).toString(), 'down');
    let type: string | undefined;
    while (type !== 'txack') type = (await events.next(10_000)).result?.type;
  });
});

/** PULL_DATA is acknowledged at once; other instances know the path a moment later. */
const settled = () => sleep(500);

async function personalized(at: TestApp, surroundings: FieldContext) {
  const devEUI = await createDevice(at, surroundings);
  const { devAddr } = await at.call(operations.device.getRandomDevAddr, { devEUI });
  const nwkSKey = randomBytes(16).toString('hex');
  const appSKey = randomBytes(16).toString('hex');
  await at.call(operations.device.activate, {
    deviceActivation: { devEUI, devAddr, appSKey, nwkSEncKey: nwkSKey, sNwkSIntKey: nwkSKey, fNwkSIntKey: nwkSKey },
  });
  const session = { devAddr, keys: { nwkSKey, appSKey } };
  const radio = { macVersion: '1.0.3', region: 'EU868', random: Math.random, adr: false };
  const device = createSimulatedDevice({ devEUI, joinEUI: '0000000000000000', ...radio, session });
  return { devEUI, device };
}

/** The counters in the history in its order, when all wanted ones are there. */
async function countersOf(at: TestApp, devEUI: string, wanted: ReadonlySet<number>): Promise<number[]> {
  await eventsOf(at, devEUI, wanted);
  await using events = await watch(at.url, `/api/devices/${devEUI}/events`, at.adminToken);
  const counters: number[] = [];
  while (counters.length < wanted.size) {
    const { result } = await events.next(90_000);
    if (result?.type === 'up') counters.push((JSON.parse(result.payloadJSON) as { fCnt: number }).fCnt);
  }
  return counters;
}

/** The uplinks in the history, when all wanted ones are there. */
async function eventsOf(at: TestApp, devEUI: string, wanted: ReadonlySet<number>) {
  await using events = await watch(at.url, `/api/devices/${devEUI}/events`, at.adminToken);
  const seen: { fCnt: number; gateways: number }[] = [];
  while ([...wanted].some((fCnt) => !seen.some((one) => one.fCnt === fCnt))) {
    const { result } = await events.next(90_000);
    if (result?.type !== 'up') continue;
    const { fCnt, rxInfo } = JSON.parse(result.payloadJSON) as { fCnt: number; rxInfo: unknown[] };
    seen.push({ fCnt, gateways: rxInfo.length });
  }
  return seen.sort((one, other) => one.fCnt - other.fCnt);
}
