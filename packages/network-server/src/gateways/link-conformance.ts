import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { region } from '@hilltop/lorawan';
import { create, gw } from '@hilltop/protobuf';
import { createFakeClock } from '../testing/fake-clock.ts';
import type { GatewayNetwork, Link, LinkNeeds } from './link.ts';
import { createGatewayPaths, type GatewayPath } from './paths.ts';

/** A gateway as a client of the link's protocol. Calls resolve when their message was sent. */
export interface Peer {
  /** Connects; resolves when the link has answered, also with a refusal. */
  connect(): Promise<void>;
  /** Disconnects, or stays silent until the link considers it disconnected. */
  disconnect(): Promise<void>;
  /** Receives a frame at 868.1 MHz, SF7BW125, -60 dBm and 7 dB, and forwards it. */
  receiveFrame(phyPayload: Uint8Array): Promise<void>;
  /** Resolves when the link has acknowledged this many uplinks; absent when the protocol has no acknowledgement. */
  acknowledged?(uplinks: number): Promise<void>;
  /** Sends statistics, or waits until the link creates them. */
  report(): Promise<void>;
  /** The next transmission that it should send. */
  asked(): Promise<{ phyPayload: string; frequency: number }>;
  /** Reports the result of that transmission. */
  answer(status: gw.TxAckStatus): Promise<void>;
  /** Sends a message that violates the protocol. */
  babble(): Promise<void>;
}

export interface LinkUnderTest {
  link: Link;
  peer: (gatewayID: string) => Peer;
  /** Ends the peers; the suite stops the link. */
  close(): Promise<void>;
}

export type OpenLink = (needs: LinkNeeds, clock: ReturnType<typeof createFakeClock>) => Promise<LinkUnderTest>;

type Ground = Awaited<ReturnType<typeof prepare>>;
interface Case {
  title: string;
  /** The feature that the case needs, if not every protocol has it. */
  word?: Word;
  run: (ground: Ground) => Promise<void>;
}

/** Features that not every protocol has: acknowledging uplinks, refusing a window, connecting without proof. */
type Word = 'arrived' | 'refused' | 'unproven';

/** Runs every test case of links against one link, except those for features that its protocol does not have. */
export function describeLink(name: string, open: OpenLink, { without = [] }: { without?: readonly Word[] } = {}): void {
  describe(`${name} as a link`, () => {
    for (const { title, word, run } of cases) {
      if (word && without.includes(word)) continue;
      it(title, async () => {
        const ground = await prepare(open);
        try {
          await run(ground);
        } finally {
          await ground.stop();
        }
      });
    }
  });
}

const gatewayID = '0a0b0c0d0e0f1011';
const otherID = '0a0b0c0d0e0f1012';
const strangerID = 'ffffffffffffff01';
const uplink = (fCnt: number) => Uint8Array.of(0x40, 1, 2, 3, 4, 0x80, fCnt, 0, 10, 0xaa, 0xbb, 5, 6, 7, 8);
const answerTo = Uint8Array.of(0x60, 1, 2, 3, 4, 0x20, 9, 0, 5, 6, 7, 8);

const cases: Case[] = [
  {
    title: 'turns an uplink into the gateway model',
    async run({ peerOf, network }) {
      const peer = await peerOf(gatewayID);
      await peer.receiveFrame(uplink(1));
      const [frame] = await network.received(1);
      const { txInfo, rxInfo } = frame!;
      assert.equal(frame?.phyPayload.toHex(), uplink(1).toHex());
      assert.equal(txInfo?.frequency, 868_100_000);
      const { bandwidth, spreadingFactor } = txInfo?.loRaModulationInfo ?? {};
      assert.deepEqual({ bandwidth, spreadingFactor }, { bandwidth: 125, spreadingFactor: 7 });
      const { rssi, loRaSNR, crcStatus } = rxInfo!;
      assert.equal(rxInfo?.gatewayID.toHex(), gatewayID);
      assert.deepEqual({ rssi, loRaSNR, crcStatus }, { rssi: -60, loRaSNR: 7, crcStatus: 'CRC_OK' });
      assert.ok(rxInfo.context.length > 0);
      assert.ok(network.seen.includes(gatewayID));
    },
  },
  {
    title: 'acknowledges an uplink when it is on disk, and not when it was refused',
    word: 'arrived',
    async run({ peerOf, network, settle }) {
      const peer = await peerOf(gatewayID);
      const { promise, resolve } = Promise.withResolvers<void>();
      network.control.storing = promise;
      await peer.receiveFrame(uplink(1));
      let isTold = false;
      const acknowledged = peer.acknowledged!(1).then(() => {
        isTold = true;
      });
      await network.offered(1);
      await settle();
      assert.equal(isTold, false);
      resolve();
      await acknowledged;
      network.control.storing = Promise.reject(new Error('no room'));
      network.control.storing.catch(() => undefined);
      await peer.receiveFrame(uplink(2));
      await network.offered(2);
      network.control.storing = Promise.resolve();
      await peer.receiveFrame(uplink(3));
      await peer.acknowledged!(2);
      assert.deepEqual(fCnts(await network.received(2)), [1, 3]);
    },
  },
  {
    title: 'continues when uplinks were not accepted',
    async run({ peerOf, network }) {
      const peer = await peerOf(gatewayID);
      network.control.storing = Promise.reject(new Error('no room'));
      network.control.storing.catch(() => undefined);
      await peer.receiveFrame(uplink(1));
      await network.offered(1);
      network.control.storing = Promise.resolve();
      await peer.receiveFrame(uplink(2));
      assert.deepEqual(fCnts(await network.received(1)), [2]);
    },
  },
  {
    title: 'preserves the order of the uplinks of one gateway, also while the gateway is looked up',
    async run({ peerOf, network }) {
      const peer = await peerOf(gatewayID);
      const { promise, resolve } = Promise.withResolvers<void>();
      network.control.looking.push(promise);
      for (const fCnt of [1, 2, 3]) await peer.receiveFrame(uplink(fCnt));
      const other = await peerOf(otherID);
      await other.receiveFrame(uplink(9));
      assert.deepEqual(fCnts(await network.received(1)), [9]);
      resolve();
      assert.deepEqual(fCnts(await network.received(4)), [9, 1, 2, 3]);
    },
  },
  {
    title: 'counts a gateway that no network server knows, and accepts nothing from it',
    async run({ peerOf, network, counted, gateways }) {
      const stranger = await peerOf(strangerID);
      await stranger.receiveFrame(uplink(1)).catch(() => undefined);
      await counted('unknown-gateway');
      assert.equal(gateways.has(strangerID), false);
      const peer = await peerOf(gatewayID);
      await peer.receiveFrame(uplink(2));
      assert.deepEqual(fCnts(await network.received(1)), [2]);
    },
  },
  {
    title: 'passes a downlink to its gateway, and the result back, once',
    async run({ peerOf, network, gateways, downlinkAfter, settle }) {
      const peer = await peerOf(gatewayID);
      const frame = await downlinkAfter(peer);
      assert.equal(gateways.send(gatewayID, frame), true);
      assert.deepEqual(await peer.asked(), { phyPayload: answerTo.toHex(), frequency: 868_100_000 });
      await peer.answer('OK');
      const [ack] = await network.acks(1);
      assert.equal(ack?.downlinkID.toHex(), frame.downlinkID.toHex());
      assert.equal(ack?.gatewayID.toHex(), gatewayID);
      assert.deepEqual(
        ack?.items.map(({ status }) => status),
        ['OK', 'IGNORED'],
      );
      await peer.answer('OK');
      await settle();
      await peer.receiveFrame(uplink(5));
      await network.received(2);
      assert.equal((await network.acks(1)).length, 1);
    },
  },
  {
    title: 'reports each window that the gateway refused',
    word: 'refused',
    async run({ peerOf, network, gateways, downlinkAfter }) {
      const peer = await peerOf(gatewayID);
      gateways.send(gatewayID, await downlinkAfter(peer, 1));
      await peer.asked();
      await peer.answer('TOO_LATE');
      const [ack] = await network.acks(1);
      assert.deepEqual(
        ack?.items.map(({ status }) => status),
        ['TOO_LATE'],
      );
    },
  },
  {
    title: 'accepts the result of a downlink only while it has the path of the gateway',
    async run({ peerOf, network, gateways, downlinkAfter, counted }) {
      const peer = await peerOf(gatewayID);
      gateways.send(gatewayID, await downlinkAfter(peer));
      await peer.asked();
      const { displaced } = displace(gateways, gatewayID);
      await peer.answer('OK');
      await counted('gateway_acks_foreign');
      assert.deepEqual(await network.acks(0), []);
      assert.deepEqual(displaced, []);
    },
  },
  {
    title: 'has a path to a gateway for as long as the gateway is connected',
    async run({ peerOf, gateways, downlinkAfter }) {
      const peer = await peerOf(gatewayID);
      assert.equal(gateways.has(gatewayID), true);
      const frame = await downlinkAfter(peer);
      await peer.disconnect();
      while (gateways.has(gatewayID)) await nextTurn();
      assert.equal(gateways.send(gatewayID, frame), false);
    },
  },
  {
    title: 'does not take over a gateway from another link with proof',
    async run({ gateways, peerOf, settle }) {
      await peerOf(gatewayID);
      const { path } = displace(gateways, gatewayID);
      await peerOf(gatewayID);
      await settle();
      assert.equal(gateways.of(gatewayID), path);
    },
  },
  {
    title: 'takes over a gateway from another link only when that link considers it silent',
    word: 'unproven',
    async run({ gateways, peerOf, settle }) {
      const link = await linkOf(gateways, peerOf);
      let isSilent = false;
      const path: GatewayPath = {
        link: link === 'mqtt' ? 'basics-station' : 'mqtt',
        isProven: false,
        isSilent: () => isSilent,
        send: () => true,
      };
      gateways.open(gatewayID, path);
      await peerOf(gatewayID);
      await settle();
      assert.equal(gateways.of(gatewayID), path);
      isSilent = true;
      await peerOf(gatewayID);
      await settle();
      assert.equal(gateways.of(gatewayID)?.link, link);
    },
  },
  {
    title: 'accepts nothing in the name of a gateway that is connected by another link with proof',
    word: 'unproven',
    async run({ peerOf, network, gateways, signs, counted, settle }) {
      const peer = await peerOf(gatewayID);
      displace(gateways, gatewayID);
      signs.received.length = 0;
      await peer.receiveFrame(uplink(1));
      await counted('gateway_messages_foreign');
      await peer.report();
      await settle();
      assert.deepEqual(signs.received, []);
      assert.deepEqual(await network.received(0), []);
      assert.deepEqual(await network.stats(0), []);
    },
  },
  {
    title: 'reports each message of a known gateway as a sign of life, and only those',
    async run({ peerOf, network, signs, gateways, settle }) {
      const peer = await peerOf(gatewayID);
      await settle();
      const { link } = gateways.of(gatewayID)!;
      const before = signs.received.length;
      await peer.receiveFrame(uplink(1));
      await network.received(1);
      assert.ok(signs.received.length > before);
      await peer.report();
      await network.stats(1);
      await peerOf(strangerID).catch(() => undefined);
      await settle();
      assert.deepEqual([...new Set(signs.received)], [`${gatewayID} ${link}`]);
      assert.deepEqual(signs.ended, []);
    },
  },
  {
    title: 'reports statistics with its own counts, once',
    async run({ peerOf, network, gateways, downlinkAfter }) {
      const peer = await peerOf(gatewayID);
      gateways.send(gatewayID, await downlinkAfter(peer, 1));
      await peer.asked();
      await peer.answer('OK');
      await network.acks(1);
      await peer.report();
      const [report] = await network.stats(1);
      assert.equal(report?.gatewayID.toHex(), gatewayID);
      assert.deepEqual(report?.rxPacketsPerFrequency, { 868100000: 1 });
      assert.deepEqual(report?.txPacketsPerFrequency, { 868100000: 1 });
      assert.deepEqual(report?.txPacketsPerStatus, { OK: 1 });
      await peer.report();
      const [, second] = await network.stats(2);
      assert.deepEqual(second?.rxPacketsPerFrequency, {});
    },
  },
  {
    title: 'counts invalid messages, and serves the other gateways',
    async run({ peerOf, network, counted }) {
      const peer = await peerOf(otherID);
      await peer.babble();
      await counted('_dropped');
      const other = await peerOf(gatewayID);
      await other.receiveFrame(uplink(7));
      assert.deepEqual(fCnts(await network.received(1)), [7]);
    },
  },
  {
    title: 'closes its paths when it stops',
    async run({ peerOf, gateways, stop }) {
      await peerOf(gatewayID);
      await stop();
      assert.equal(gateways.has(gatewayID), false);
    },
  },
];

/** The kind of the link under test, by a gateway that it has. */
async function linkOf(gateways: LinkNeeds['gateways'], peerOf: Ground['peerOf']) {
  await peerOf(otherID);
  return gateways.of(otherID)!.link;
}

function fCnts(frames: readonly gw.UplinkFrame[]): (number | undefined)[] {
  return frames.map(({ phyPayload }) => phyPayload[6]);
}

/** Gives the gateway's path to another link with proof. */
function displace(gateways: LinkNeeds['gateways'], id: string) {
  const displaced: gw.DownlinkFrame[] = [];
  const held = gateways.of(id);
  if (held) gateways.close(id, held);
  const link = held?.link === 'mqtt' ? 'basics-station' : 'mqtt';
  const path: GatewayPath = { link, isProven: true, send: (frame) => displaced.push(frame) > 0 };
  gateways.open(id, path);
  return { path, displaced };
}

async function prepare(open: OpenLink) {
  const clock = createFakeClock();
  const gateways = createGatewayPaths();
  const counts = new Map<string, number>();
  const network = createListeningNetwork();
  const quiet = () => undefined;
  const signs: { received: string[]; ended: string[] } = { received: [], ended: [] };
  const needs: LinkNeeds = {
    networkServerOf: async (id) => {
      if (id === gatewayID) await network.control.looking.shift();
      return id === strangerID ? null : network;
    },
    gateways,
    signs: {
      received: (id, link) => void signs.received.push(`${id} ${link}`),
      ended: (id, reason) => void signs.ended.push(`${id} ${reason}`),
    },
    clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    count: (name, labels = {}, by = 1) => {
      const key = [name, ...Object.values(labels)].join(' ');
      counts.set(key, (counts.get(key) ?? 0) + by);
    },
  };
  const under = await open(needs, clock);
  let isStopped = false;

  /** A connected gateway. */
  const peerOf = async (id: string): Promise<Peer> => {
    const peer = under.peer(id);
    await peer.connect();
    return peer;
  };

  /** A downlink with one item or two for the last uplink of the gateway. */
  const downlinkAfter = async (peer: Peer, windows: 1 | 2 = 2): Promise<gw.DownlinkFrame> => {
    await peer.receiveFrame(uplink(4));
    const [arrived] = await network.received(1);
    const timed = (frequency: number, spreadingFactor: number, delay: number) => ({
      phyPayload: answerTo,
      txInfo: {
        frequency,
        power: 14,
        modulation: 'LORA' as const,
        loRaModulationInfo: { bandwidth: 125, spreadingFactor, codeRate: '4/5', polarizationInversion: true },
        timing: 'DELAY' as const,
        delayTimingInfo: { delay },
        context: arrived?.rxInfo?.context ?? new Uint8Array(),
      },
    });
    return create(gw.DownlinkFrame, {
      downlinkID: Uint8Array.from({ length: 16 }, (_, index) => index + 1),
      token: 0x0102,
      gatewayID: Uint8Array.fromHex(gatewayID),
      items: [timed(868_100_000, 7, 1000), timed(869_525_000, 12, 2000)].slice(0, windows),
    });
  };

  return {
    under,
    clock,
    gateways,
    signs,
    network,
    peerOf,
    downlinkAfter,
    stop: async () => {
      if (isStopped) return;
      isStopped = true;
      await under.close();
      await under.link.stop();
    },
    /** Waits until background work of the process is done. */
    settle: async () => {
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    },
    /** Resolves when a counter with this name or label was incremented. */
    counted: async (name: string) => {
      while (![...counts.keys()].some((key) => key.includes(name))) await nextTurn();
    },
  };
}

/** A network that records its calls; each list resolves when it has at least that length. */
function createListeningNetwork() {
  const uplinks: gw.UplinkFrame[] = [];
  const acks: gw.DownlinkTXAck[] = [];
  const stats: gw.GatewayStats[] = [];
  let offers = 0;
  const longEnough = async <T>(list: T[], length: number): Promise<T[]> => {
    while (list.length < length) await nextTurn();
    return [...list];
  };
  const control: { storing: Promise<void>; looking: Promise<void>[] } = { storing: Promise.resolve(), looking: [] };
  const seen: string[] = [];
  return {
    isPlanned: () => true,
    async receive(frames) {
      offers += frames.length;
      await control.storing;
      uplinks.push(...frames);
    },
    async gatewayStats(report) {
      stats.push(report);
    },
    async gatewaySeen(id) {
      seen.push(id);
    },
    async transmitted(ack) {
      acks.push(ack);
    },
    region: region('EU868'),
    beaconFrequency: () => 0,
    configurationOf: async () =>
      create(gw.GatewayConfiguration, {
        channels: [{ frequency: 868_100_000, loRaModulationConfig: { bandwidth: 125, spreadingFactors: [7] } }],
        statsInterval: 30_000,
      }),
    control,
    seen,
    /** Uplinks that reached the storage. */
    async offered(length: number) {
      while (offers < length) await nextTurn();
    },
    received: (length: number) => longEnough(uplinks, length),
    acks: (length: number) => longEnough(acks, length),
    stats: (length: number) => longEnough(stats, length),
  } satisfies GatewayNetwork & Record<string, unknown>;
}
