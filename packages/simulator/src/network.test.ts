import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Txpk } from '@hilltop/gateway-protocols';
import { uplinksOf } from '@hilltop/gateway-protocols';
import type { Device } from './device/device.ts';
import { createDevice } from './device/device.ts';
import type { Received } from './device/received.ts';
import type { Transmission, WindowName } from './device/transmission.ts';
import type { Downlink, Gateway } from './gateway.ts';
import { startGateway } from './gateway.ts';
import { type Antenna, createNetwork } from './network.ts';
import { randomBytes, seededRandom } from './random.ts';
import { modulationFields } from './rxpk.ts';
import { createManualClock } from './testing/manual-clock.ts';
import { answerJoin, buildDownlink, type Peer, readUplink } from './testing/peer.ts';
import type { TestServer } from './testing/server.ts';
import { startTestServer } from './testing/server.ts';

const random = seededRandom(7);
const quiet = { keepaliveMs: 0, statIntervalMs: 0, random };
const root = { nwkKey: randomBytes(random, 16), appKey: randomBytes(random, 16) };
const town = { latitude: 52.09, longitude: 5.12 };
const far = { latitude: 52.09, longitude: 6.12 };

/** A downlink of the server for that window. */
function intoWindow(sent: Transmission, tmst: number, name: WindowName, phyPayload: Uint8Array): Partial<Txpk> {
  const window = sent.windows.find((candidate) => candidate.name === name)!;
  return {
    tmst: (tmst + window.delayMs * 1000) % 2 ** 32,
    freq: window.frequency / 1e6,
    ...modulationFields(window.modulation),
    powe: 14,
    ipol: true,
    data: phyPayload.toBase64(),
  };
}

async function gatewaysOf(server: TestServer, positions: (typeof town)[]): Promise<Gateway[]> {
  const gateways = await Promise.all(
    positions.map((position, index) =>
      startGateway({
        ...quiet,
        server: server.address,
        position,
        gatewayID: `b827ebfffe0000${index.toString(16).padStart(2, '0')}`,
      }),
    ),
  );
  await Promise.all(gateways.map((gateway) => gateway.online()));
  return gateways;
}

async function stopAll(gateways: Gateway[]): Promise<void> {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
}

function otaa(): Device {
  return createDevice({ devEUI: '0a1b2c3d4e5f6071', ...root, random });
}

const nwkSKey = Uint8Array.from({ length: 16 }, () => 0x11);
const keys = { fNwkSIntKey: nwkSKey, sNwkSIntKey: nwkSKey, nwkSEncKey: nwkSKey, appSKey: nwkSKey };
const peer: Peer = { devAddr: '26012345', keys, version: '1.0' };
function abp(options: { classC?: boolean } = {}): Device {
  return createDevice({ devEUI: '0a1b2c3d4e5f6072', session: { devAddr: peer.devAddr, keys }, random, ...options });
}

describe('a network', () => {
  it('transmits a join through the gateways in reach', async () => {
    const device = otaa();
    let sent!: Transmission;
    await using server = await startTestServer((push, to) => {
      const [frame] = uplinksOf(push).frames;
      const tmst = new DataView(frame!.rxInfo!.context.buffer).getUint32(0);
      const { phyPayload } = answerJoin(sent, root, { devAddr: '26000001', joinNonce: 1 });
      if (push.gatewayID.endsWith('01')) to.sendDownlink(push.gatewayID, intoWindow(sent, tmst, 'RX1', phyPayload));
    });
    const gateways = await gatewaysOf(server, [town, town, far]);
    const received: Received[] = [];
    const network = createNetwork({ gateways, random, onReceived: (_, what) => received.push(what) });
    network.setPosition(device, { position: town });
    sent = device.joinRequest();
    const exchange = await network.transmit(device, sent, true);
    assert.deepEqual(
      exchange.receivedBy.map(({ gateway }) => gateway.gatewayID.slice(-2)),
      ['00', '01'],
    );
    assert.ok(exchange.acknowledged);
    assert.deepEqual(exchange.received, { kind: 'joined', devAddr: '26000001' });
    assert.deepEqual(received, [{ kind: 'joined', devAddr: '26000001' }]);
    network.stop();
    await stopAll(gateways);
  });

  const misses: [string, (txpk: Partial<Txpk>) => Partial<Txpk>][] = [
    ['a second late', (txpk) => ({ ...txpk, tmst: txpk.tmst! + 500_000 })],
    ['on another frequency', (txpk) => ({ ...txpk, freq: 867.9 })],
    ['with another data-rate', (txpk) => ({ ...txpk, datr: 'SF8BW125' })],
    ['not inverted', (txpk) => ({ ...txpk, ipol: false })],
  ];
  for (const [what, change] of misses) {
    it(`a downlink ${what} misses the window, one in RX2 does not`, async () => {
      const device = abp();
      let sent!: Transmission;
      await using server = await startTestServer((push, to) => {
        const tmst = new DataView(uplinksOf(push).frames[0]!.rxInfo!.context.buffer).getUint32(0);
        const wrong = buildDownlink(peer, { fCnt: 0, fPort: 1, data: Uint8Array.of(1) });
        const right = buildDownlink(peer, { fCnt: 1, fPort: 1, data: Uint8Array.of(2) });
        to.sendDownlink(push.gatewayID, change(intoWindow(sent, tmst, 'RX1', wrong)));
        to.sendDownlink(push.gatewayID, intoWindow(sent, tmst, 'RX2', right));
      });
      const gateways = await gatewaysOf(server, [town]);
      const network = createNetwork({ gateways, random });
      sent = device.uplink({ confirmed: true });
      const { received } = await network.transmit(device, sent, true);
      assert.ok(received?.kind === 'data');
      assert.deepEqual(received.data, Uint8Array.of(2));
      assert.equal(network.missed, 1);
      network.stop();
      await stopAll(gateways);
    });
  }

  it('no gateway receives a device that is too far away', async () => {
    await using server = await startTestServer();
    const gateways = await gatewaysOf(server, [town]);
    const network = createNetwork({ gateways, random });
    const device = abp();
    network.setPosition(device, { position: far });
    const { receivedBy, acknowledged, received } = await network.send(device, { confirmed: true });
    assert.deepEqual([receivedBy.length, acknowledged, received], [0, false, null]);
    network.stop();
    await stopAll(gateways);
  });

  for (const [what, answerTo, expected] of [
    ['as often as NbTrans says', Infinity, 3],
    ['until a downlink comes', 2, 2],
  ] as const) {
    it(`an uplink is sent ${what}`, async () => {
      const clock = createManualClock();
      const device = abp();
      device.session!.radio.nbTrans = 3;
      const arrived: number[] = [];
      const downlinks: ((downlink: Downlink) => void)[] = [];
      const antenna: Antenna = {
        gatewayID: 'b827ebfffe000000',
        position: null,
        concentratorTime: () => 0,
        onDownlink: (listen) => {
          downlinks.push(listen);
          return () => undefined;
        },
        receiveFrame(sent) {
          arrived.push(readUplink(peer, sent, { fCnt: 0 }).frame.fCnt);
          const answer = () => {
            const phyPayload = buildDownlink(peer, { fCnt: 0 });
            const txpk = intoWindow(sent, 0, 'RX1', phyPayload) as Downlink['txpk'];
            for (const listen of downlinks) listen({ txpk, phyPayload, token: 0, refusal: '' });
          };
          clock.after(1000, arrived.length === answerTo ? answer : () => undefined);
          return { tmst: 0, token: 0, acknowledged: Promise.resolve(true) };
        },
      };
      const network = createNetwork({ gateways: [antenna], random, clock });
      let isOver = false;
      void network.send(device, { fPort: 1 }).then(() => (isOver = true));
      while (!isOver) {
        await nextTurn();
        clock.advance(1000);
      }
      assert.deepEqual(arrived, Array(expected).fill(0));
      network.stop();
    });
  }

  it('walls attenuate the signal', async () => {
    await using server = await startTestServer();
    const gateways = await gatewaysOf(server, [town]);
    const network = createNetwork({ gateways, random });
    const device = abp();
    const position = { latitude: 52.1, longitude: 5.12 };
    network.setPosition(device, { position });
    const outside = await network.send(device, { fPort: 1 });
    network.setPosition(device, { position, lossDb: 20 });
    const inside = await network.send(device, { fPort: 1 });
    const loss = (outside.receivedBy[0]?.signal.rssi ?? 0) - (inside.receivedBy[0]?.signal.rssi ?? -200);
    assert.ok(loss > 8, `lost ${loss} dB`);
    network.stop();
    await stopAll(gateways);
  });

  it('class C devices receive downlinks at any time', async () => {
    await using server = await startTestServer();
    const gateways = await gatewaysOf(server, [town]);
    const arrived = Promise.withResolvers<Received>();
    const network = createNetwork({ gateways, random, onReceived: (_, received) => arrived.resolve(received) });
    network.setPosition(abp({ classC: true }), {});
    const { tmst: _, ...txpk } = intoWindow(
      abp().uplink(),
      0,
      'RX2',
      buildDownlink(peer, { fCnt: 0, fPort: 3, data: Uint8Array.of(5) }),
    );
    server.sendDownlink(gateways[0]!.gatewayID, { ...txpk, imme: true });
    const received = await arrived.promise;
    assert.ok(received.kind === 'data');
    assert.deepEqual(received.data, Uint8Array.of(5));
    network.stop();
    await stopAll(gateways);
  });
});
