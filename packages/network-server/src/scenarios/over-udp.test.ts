/** The whole path over real sockets, with simulated gateways and devices that respect their windows. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { create, ns } from '@hilltop/protobuf';
import {
  createDevice,
  createNetwork,
  type Gateway,
  type GatewayOptions,
  seededRandom,
  startGateway,
} from '@hilltop/simulator';
import { createGatewayPaths } from '../gateways/paths.ts';
import { startSemtechUdp } from '../gateways/semtech-udp.ts';
import { DutyCycleUse } from '../network/duty-cycle-use.ts';
import type { Clock } from '../platform/runtime.ts';
import { createNetworkServer } from '../server/network-server.ts';
import { createInMemoryState } from '../state/in-memory.ts';
import { createFakeAirtime } from '../testing/fake-airtime.ts';
import { createFakeApplication } from '../testing/fake-application.ts';
import { createFakeJoinServer } from '../testing/fake-join-server.ts';

const devEUI = '0102030405060708';
const joinEUI = '70b3d57ed0000001';
const gatewayIDs = ['0a00000000000001', '0a00000000000002'];
const id = new Uint8Array(16).fill(1);
const keys = { nwkKey: new Uint8Array(16).fill(0x11), appKey: new Uint8Array(16).fill(0x22) };

const clock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

async function startAll(macVersion: string, txAck?: NonNullable<GatewayOptions['txAck']>) {
  const application = createFakeApplication();
  const state = createInMemoryState({ apply: (effect) => application.apply(effect) });
  const gateways = createGatewayPaths();
  const quiet = () => undefined;
  const needs = { gateways, clock, log: { debug: quiet, info: quiet, warn: quiet, error: quiet }, count: quiet };
  const server = createNetworkServer({
    ...needs,
    region: 'EU868',
    netID: '000013',
    settings: { deduplicationDelayMs: 100, getDownlinkDataDelayMs: 50 },
    state,
    applicationServer: application,
    reportDownlink: application.reportDownlink,
    joinReports: application.joinReports,
    airtime: createFakeAirtime(),
    dutyCycleUse: new DutyCycleUse(clock),
    joinServer: createFakeJoinServer(new Map([[devEUI, keys]])),
    random: (length) => new Uint8Array(randomBytes(length)),
    removalTime: async () => Date.now(),
  });
  const link = await startSemtechUdp({
    ...needs,
    host: '127.0.0.1',
    port: 0,
    networkServerOf: async (gatewayID) => ((await server.hasGateway(gatewayID)) ? server : null),
  });
  const { service } = server;
  const devEui = Uint8Array.fromHex(devEUI);
  const profiles = { deviceProfileId: id, serviceProfileId: id, routingProfileId: id };
  await service.createRoutingProfile({ routingProfile: create(ns.RoutingProfile, { id }) });
  await service.createServiceProfile({
    serviceProfile: create(ns.ServiceProfile, { id, drMax: 5, addGwMetadata: true }),
  });
  await service.createDeviceProfile({
    deviceProfile: create(ns.DeviceProfile, { id, macVersion, regParamsRevision: 'B', supportsJoin: true }),
  });
  await service.createDevice({ device: create(ns.Device, { devEui, ...profiles }) });
  const radios: Gateway[] = [];
  for (const gatewayID of gatewayIDs) {
    const gateway = { id: Uint8Array.fromHex(gatewayID), location: {}, routingProfileId: id };
    await service.createGateway({ gateway: create(ns.Gateway, gateway) });
    const radio = await startGateway({ server: `127.0.0.1:${link.address.port}`, gatewayID, ...(txAck && { txAck }) });
    await radio.online();
    radios.push(radio);
  }
  const air = createNetwork({ gateways: radios, onTime: false });
  const random = seededRandom(3);
  const device = createDevice({ devEUI, joinEUI, ...keys, macVersion, region: 'EU868', adr: false, random });

  return {
    application,
    service,
    devEui,
    state,
    air,
    device,
    async [Symbol.asyncDispose]() {
      air.stop();
      for (const radio of radios) await radio.stop();
      await link.stop();
      await server.stop();
    },
  };
}

async function enqueue({ application, service, devEui, device }: Awaited<ReturnType<typeof startAll>>, text: string) {
  const { fCnt } = await service.getNextDownlinkFCntForDevEUI({ devEui });
  const devAddr = device.session?.devAddr ?? '';
  const frmPayload = application.encrypt(devEUI, devAddr, fCnt, new TextEncoder().encode(text));
  await service.createDeviceQueueItem({
    item: { devEui, devAddr: Uint8Array.fromHex(devAddr), fCnt, fPort: 10, frmPayload, confirmed: true },
  });
}

describe('over UDP', () => {
  for (const macVersion of ['1.0.3', '1.1.0']) {
    it(`a ${macVersion} device joins, is received by two gateways and receives its downlink`, async () => {
      await using all = await startAll(macVersion);
      const { air, device, application } = all;
      assert.equal(await air.join(device), true);
      const first = await air.send(device, { fPort: 5, data: Uint8Array.of(1, 2, 3), confirmed: true });
      assert.equal(first.acknowledged, true);
      assert.equal(first.received?.kind === 'data' && first.received.acknowledged, true);
      const [up] = application.calls;
      assert.deepEqual(up?.event === 'up' && [...up.rx].sort(), gatewayIDs);

      await enqueue(all, 'hello');
      const second = await air.send(device, { fPort: 5, wait: true });
      assert.equal(second.received?.kind === 'data' && new TextDecoder().decode(second.received.data), 'hello');
      await air.send(device, { fPort: 5, confirmed: true });
      const kinds = application.calls.map(({ event }) => event);
      assert.deepEqual(
        kinds.filter((kind) => kind !== 'up' && kind !== 'stats'),
        ['txack', 'ack'],
      );
    });
  }

  it('uses the second window when the first came too late', async () => {
    await using all = await startAll('1.0.3', (txpk) => (txpk.freq === 869.525 ? '' : 'TOO_LATE'));
    const { air, device } = all;
    assert.equal(await air.join(device), true);
    const sent = await air.send(device, { fPort: 5, confirmed: true });
    assert.equal(sent.received?.kind === 'data' && sent.received.acknowledged, true);
  });
});
