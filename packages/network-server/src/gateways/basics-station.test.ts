import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTCP } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { region, regions } from '@hilltop/lorawan';
import { create, gw } from '@hilltop/protobuf';
import { WebSocket } from 'ws';
import { createFakeClock } from '../testing/fake-clock.ts';
import { createRig } from '../testing/rig.ts';
import { type Identity, serveBasicsStation } from './basics-station.ts';
import type { GatewayNetwork } from './link.ts';
import { describeLink, type OpenLink, type Peer } from './link-conformance.ts';
import { createGatewayPaths } from './paths.ts';

const gatewayID = '0a0b0c0d0e0f1011';
const stranger = 'ffffffffffffffff';
/** A double cannot represent this number. */
const xtime = 35_466_971_166_735_361n;
const xtimeText = String(xtime);

type Message = Record<string, unknown>;

/** A websocket that records what it receives. */
function openSocket(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url, { headers });
  const inbox: string[] = [];
  let refusal = 0;
  socket.on('message', (data) => inbox.push((data as Buffer).toString()));
  socket.on('unexpected-response', (_request, response) => {
    refusal = response.statusCode ?? 0;
    socket.terminate();
  });
  socket.on('error', () => undefined);
  return {
    socket,
    inbox,
    status: () => refusal,
    /** Resolves when it is open or refused. */
    async settled() {
      while (socket.readyState === WebSocket.CONNECTING || socket.readyState === WebSocket.CLOSING) await nextTurn();
    },
    async closed(): Promise<number> {
      if (socket.readyState === WebSocket.CLOSED) return 0;
      const [code] = (await once(socket, 'close')) as [number];
      return code;
    },
    say: (message: string | Message) =>
      new Promise<void>((resolve, reject) => {
        const text = typeof message === 'string' ? message : JSON.stringify(message);
        socket.send(text, (error) => (error ? reject(error) : resolve()));
      }),
    /** The text of the nth message of that type. */
    async messageOf(msgtype: string, nth = 1): Promise<string> {
      for (;;) {
        const found = inbox.filter((text) => text.includes(`"msgtype":"${msgtype}"`))[nth - 1];
        if (found) return found;
        await nextTurn();
      }
    },
  };
}

const version = { msgtype: 'version', station: '2.0.6', model: 'corecell', protocol: 2, features: 'gps' };

/** A data frame in the fields of a station. */
function updf(phyPayload: Uint8Array): string {
  const view = new DataView(phyPayload.buffer);
  const fOptsEnd = 8 + (phyPayload[5]! & 0x0f);
  const hasPort = phyPayload.length > fOptsEnd + 4;
  const fields = {
    msgtype: 'updf',
    MHdr: phyPayload[0],
    DevAddr: view.getInt32(1, true),
    FCtrl: phyPayload[5],
    FCnt: view.getUint16(6, true),
    FOpts: phyPayload.subarray(8, fOptsEnd).toHex(),
    FPort: hasPort ? phyPayload[fOptsEnd] : -1,
    FRMPayload: phyPayload.subarray(fOptsEnd + 1, -4).toHex(),
    MIC: view.getInt32(phyPayload.length - 4, true),
    RefTime: 0,
    DR: 5,
    Freq: 868_100_000,
    upinfo: { rctx: -3, xtime: 'X', gpstime: 0, fts: -1, rssi: -60, snr: 7, rxtime: 1636131701.5 },
  };
  return JSON.stringify(fields).replace('"X"', xtimeText);
}

const uplink = (fCnt: number) => Uint8Array.of(0x40, 1, 2, 3, 4, 0x80, fCnt, 0, 10, 0xaa, 0xbb, 5, 6, 7, 8);

const openStations: OpenLink = async (needs, clock) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const identify = () => Promise.resolve('unproven' as const);
  const whenChanged = async () => () => undefined;
  const link = serveBasicsStation({ ...needs, server, identify, whenChanged, isSecure: () => false });
  const opened: ReturnType<typeof openSocket>[] = [];

  function peer(id: string): Peer {
    const one = openSocket(`ws://127.0.0.1:${port}/gateway/${id}`);
    opened.push(one);
    let asked = 0;
    return {
      async connect() {
        await one.settled();
        if (one.socket.readyState !== WebSocket.OPEN) return;
        await one.say(version).catch(() => undefined);
        while (one.socket.readyState === WebSocket.OPEN && one.inbox.length === 0) await nextTurn();
      },
      async disconnect() {
        one.socket.close();
        await one.closed();
      },
      receiveFrame: (phyPayload) => one.say(updf(phyPayload)),
      report: () => clock.advance(30_000),
      async asked() {
        asked += 1;
        const { pdu, RX1Freq } = JSON.parse(await one.messageOf('dnmsg', asked)) as { pdu: string; RX1Freq: number };
        return { phyPayload: pdu, frequency: RX1Freq };
      },
      async answer() {
        const { diid, RX1Freq } = JSON.parse(await one.messageOf('dnmsg', asked)) as Message;
        await one.say({ msgtype: 'dntxed', diid, Freq: RX1Freq, DR: 5, rctx: 0, xtime: 1, txtime: 1, gpstime: 0 });
      },
      babble: () => one.say('hello'),
    };
  }
  return {
    link,
    peer,
    async close() {
      for (const { socket } of opened) socket.terminate();
      server.closeAllConnections();
      server.close();
      await nextTurn();
    },
  };
};

describeLink('Basics Station', openStations, { without: ['arrived', 'refused'] });

/** A link with a network that records its calls. */
async function startLink({
  identity = () => 'unproven',
  mostGateways,
  network: changed = {},
}: {
  identity?: (authorization: string | undefined) => Identity;
  mostGateways?: number;
  network?: Partial<GatewayNetwork>;
} = {}) {
  const clock = createFakeClock();
  const paths = createGatewayPaths();
  const counts = new Map<string, number>();
  const received: gw.UplinkFrame[] = [];
  const acks: gw.DownlinkTXAck[] = [];
  const stats: gw.GatewayStats[] = [];
  const seen: string[] = [];
  const signs: string[] = [];
  const rig = await createRig();
  const network: GatewayNetwork = {
    isPlanned: () => true,
    receive: async (frames) => void received.push(...frames),
    gatewayStats: async (report) => void stats.push(report),
    gatewaySeen: async (id) => void seen.push(id),
    transmitted: async (ack) => void acks.push(ack),
    region: region('EU868'),
    beaconFrequency: () => 0,
    configurationOf: (id) => rig.server.configurationOf(id),
    ...changed,
  };
  const known = new Set([gatewayID]);
  /** Listeners for proofs that end. */
  const listeners = new Map<string, () => void>();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const quiet = () => undefined;
  const link = serveBasicsStation({
    server,
    identify: async (_gatewayID, { headers }) => identity(headers.authorization),
    whenChanged: async (provenBy, listener) => {
      listeners.set(provenBy, listener);
      return () => void listeners.delete(provenBy);
    },
    isSecure: () => false,
    networkServerOf: async (id) => (known.has(id) ? network : null),
    gateways: paths,
    signs: { received: () => void signs.push('received'), ended: (_id, reason) => void signs.push(reason) },
    clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    count: (name, labels = {}, by = 1) => {
      const key = [name, ...Object.values(labels)].join(' ');
      counts.set(key, (counts.get(key) ?? 0) + by);
    },
    ...(mostGateways !== undefined && { mostGateways }),
  });
  const sockets: ReturnType<typeof openSocket>[] = [];

  async function open(path: string, headers: Record<string, string> = {}) {
    const one = openSocket(`ws://127.0.0.1:${port}${path}`, headers);
    sockets.push(one);
    await one.settled();
    return one;
  }

  return {
    clock,
    paths,
    counts,
    received,
    acks,
    stats,
    seen,
    signs,
    known,
    listeners,
    network,
    port,
    open,
    /** A station on its data connection, with its configuration. */
    async station(headers: Record<string, string> = {}) {
      const one = await open(`/gateway/${gatewayID}`, headers);
      await one.say(version);
      await one.messageOf('router_config');
      return one;
    },
    async counted(key: string) {
      while (!counts.has(key)) await nextTurn();
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of sockets) socket.terminate();
      await link.stop();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function downlink(context: Uint8Array, ...windows: [delay: number, frequency: number, spreadingFactor: number][]) {
  return create(gw.DownlinkFrame, {
    downlinkID: new Uint8Array(16).fill(9),
    gatewayID: Uint8Array.fromHex(gatewayID),
    items: windows.map(([delay, frequency, spreadingFactor]) => ({
      phyPayload: Uint8Array.of(0x60, 1, 2, 3, 4),
      txInfo: {
        frequency,
        modulation: 'LORA' as const,
        loRaModulationInfo: { bandwidth: 125, spreadingFactor, codeRate: '4/5', polarizationInversion: true },
        timing: 'DELAY' as const,
        delayTimingInfo: { delay },
        context,
      },
    })),
  });
}

describe('Basics Station', () => {
  it('sends a station the address of its data connection, in any notation of its EUI', async () => {
    await using link = await startLink();
    const uri = `ws://127.0.0.1:${link.port}/gateway/${gatewayID}`;
    for (const router of ['0a-0b-0c-0d-0e-0f-10-11', '0A0B0C0D0E0F1011', 'a0b:c0d:e0f:1011', 723685415333072913n]) {
      const one = await link.open('/router-info');
      await one.say(`{"router":${typeof router === 'string' ? `"${router}"` : router}}`);
      await one.closed();
      assert.deepEqual(JSON.parse(one.inbox[0] ?? ''), { router: 'a0b:c0d:e0f:1011', muxs: '0:0:0:0', uri });
    }
  });

  it('tells a refused station why, and counts it', async () => {
    await using link = await startLink();
    const asking = await link.open('/router-info');
    await asking.say('{"router":"ff-ff-ff-ff-ff-ff-ff-ff"}');
    await asking.closed();
    const error = 'the gateway is not registered: create it in the console first';
    assert.deepEqual(JSON.parse(asking.inbox[0] ?? ''), { router: 'ffff:ffff:ffff:ffff', error });
    const entering = await link.open(`/gateway/${stranger}`);
    assert.equal(entering.status(), 404);
    assert.equal(link.counts.get('gateway_connections_refused unknown-gateway'), 2);
  });

  it('sends no address for an invalid host name', async () => {
    await using link = await startLink();
    const one = await link.open('/router-info', { host: 'a"/evil' });
    assert.equal(one.status(), 400);
  });

  it('answers version with the configuration of the region', async () => {
    await using link = await startLink();
    const one = await link.station();
    const config = JSON.parse(await one.messageOf('router_config')) as Message;
    assert.equal(config.region, 'EU863');
    assert.equal(config.MuxTime, link.clock.now().getTime() / 1000);
    assert.deepEqual(config.bcning, { DR: 3, layout: [2, 8, 17], freqs: [869_525_000] });
    const [board] = config.sx1301_conf as [{ radio_0: object; radio_1: object }];
    assert.deepEqual(board.radio_0, { enable: true, freq: 867_500_000 });
    assert.deepEqual(board.radio_1, { enable: true, freq: 868_500_000 });
    assert.deepEqual(link.seen, [gatewayID]);
    assert.equal(link.paths.of(gatewayID)?.link, 'basics-station');
  });

  it('sends the beacon frequency, and again when it changes', async () => {
    let frequency = 868_900_000;
    await using link = await startLink({ network: { beaconFrequency: () => frequency } });
    const one = await link.station();
    const config = JSON.parse(await one.messageOf('router_config')) as Message;
    assert.deepEqual(config.bcning, { DR: 3, layout: [2, 8, 17], freqs: [frequency] });
    frequency = 0;
    const closed = one.closed();
    await link.clock.advance(31_000);
    assert.equal(await closed, 1012);
  });

  for (const { name } of regions) {
    it(`has a configuration for ${name}, or reports that there is none`, async () => {
      const rig = await createRig({ region: name });
      const configurationOf = (id: string) => rig.server.configurationOf(id);
      await using link = await startLink({ network: { region: region(name), configurationOf } });
      const one = await link.open(`/gateway/${gatewayID}`);
      await one.say(version);
      if (name === 'ISM2400') return assert.equal(await one.closed(), 1011);
      const config = JSON.parse(await one.messageOf('router_config')) as Message;
      const [board] = config.sx1301_conf as [Record<string, { enable: boolean }>];
      assert.equal(board.chan_multiSF_0?.enable, true);
      assert.ok((config.DRs as number[][]).every((rate) => rate.length === 3));
      const knowsLimits = ['EU863', 'US902', 'AU915', 'AS923-1', 'KR920'].includes(config.region as string);
      assert.equal('max_eirp' in config, !knowsLimits);
    });
  }

  it('sends the channels once, however often a station sends version', async () => {
    await using link = await startLink();
    const one = await link.station();
    for (let nth = 0; nth < 50; nth += 1) await one.say(version);
    while (link.counts.get('gateway_messages_dropped version') !== 50) await nextTurn();
    assert.equal(one.inbox.length, 1);
  });

  it('refuses an unknown protocol, and a station that never sends version', async () => {
    await using link = await startLink();
    const old = await link.open(`/gateway/${gatewayID}`);
    await old.say({ ...version, protocol: 1 });
    assert.equal(await old.closed(), 1002);
    const silent = await link.open(`/gateway/${gatewayID}`);
    const closed = silent.closed();
    await link.clock.advance(31_000);
    await closed;
    assert.equal(link.counts.get('gateway_connections_ended no-version'), 1);
  });

  it('returns the time of an uplink exactly, and reports which window was used', async () => {
    await using link = await startLink();
    const one = await link.station();
    await one.say(updf(uplink(1)));
    while (link.received.length === 0) await nextTurn();
    const context = link.received[0]?.rxInfo?.context ?? new Uint8Array();
    link.paths.send(gatewayID, downlink(context, [1000, 868_100_000, 7], [2000, 869_525_000, 12]));
    const text = await one.messageOf('dnmsg');
    assert.ok(text.includes(`"xtime":${xtimeText}`) && text.includes('"rctx":-3'), text);
    const { diid } = JSON.parse(text) as Message;
    await one.say({ msgtype: 'dntxed', diid, Freq: 869_525_000, DR: 0 });
    while (link.acks.length === 0) await nextTurn();
    assert.deepEqual(
      link.acks[0]?.items.map(({ status }) => status),
      ['IGNORED', 'OK'],
    );
    await one.say({ msgtype: 'dntxed', diid: 999 });
    await link.counted('gateway_acks_unknown');
  });

  it('forgets a downlink without an answer after a minute', async () => {
    await using link = await startLink();
    const one = await link.station();
    link.paths.send(gatewayID, downlink(new Uint8Array(16), [1000, 868_100_000, 7]));
    const { diid } = JSON.parse(await one.messageOf('dnmsg')) as Message;
    await link.clock.advance(50_000);
    await one.say('{"msgtype":"event"}');
    await link.clock.advance(11_000);
    await one.say({ msgtype: 'dntxed', diid });
    await link.counted('gateway_acks_unknown');
    assert.deepEqual(link.acks, []);
  });

  it('answers GPS time', async () => {
    await using link = await startLink();
    const one = await link.station();
    await one.say('{"msgtype":"timesync","txtime":9007199254740993}');
    // 2026-11-21T12:00:00Z is 1479297618 s after the GPS epoch, 18 leap seconds included.
    assert.equal(
      await one.messageOf('timesync'),
      '{"msgtype":"timesync","txtime":9007199254740993,"gpstime":1479297618000000}',
    );
  });

  it('reports every 30 s the data of the station and the counts of the link', async () => {
    await using link = await startLink();
    const one = await link.station();
    await one.say(updf(uplink(1)));
    await one.say(updf(uplink(2)));
    while (link.received.length < 2) await nextTurn();
    await link.clock.advance(30_000);
    while (link.stats.length === 0) await nextTurn();
    const [report] = link.stats;
    assert.deepEqual([report?.rxPacketsReceived, report?.rxPacketsReceivedOK, report?.ip], [2, 2, '127.0.0.1']);
    const about = { station: '2.0.6', model: 'corecell', features: 'gps' };
    assert.deepEqual(report?.metaData, { ...about, link: 'basics-station' });
    await link.clock.advance(30_000);
    while (link.stats.length < 2) await nextTurn();
    assert.equal(link.stats[1]?.rxPacketsReceived, 0);
  });

  it('closes the connection when the configuration changes, so that the station connects again', async () => {
    let channels = [868_100_000];
    const configurationOf = async () =>
      create(gw.GatewayConfiguration, {
        version: String(channels),
        statsInterval: 10_000,
        channels: channels.map((frequency) => ({
          frequency,
          loRaModulationConfig: { bandwidth: 125, spreadingFactors: [7] },
        })),
      });
    await using link = await startLink({ network: { configurationOf } });
    const one = await link.station();
    await link.clock.advance(10_000);
    while (link.stats.length === 0) await nextTurn();
    assert.equal(link.stats[0]?.configVersion, '868100000');
    channels = [868_100_000, 868_300_000];
    const closed = one.closed();
    await link.clock.advance(10_000);
    assert.equal(await closed, 1012);
    const again = await link.station();
    const [board] = (JSON.parse(await again.messageOf('router_config')) as Message).sx1301_conf as [Message];
    assert.deepEqual(board.chan_multiSF_1, { enable: true, radio: 0, if: -200_000 });
  });

  it('pings every 60 s, and disconnects a station that does not answer for 65 s', async () => {
    await using link = await startLink();
    const one = await link.station();
    for (let minute = 0; minute < 3; minute += 1) {
      const pinged = once(one.socket, 'ping');
      await link.clock.advance(60_000);
      await pinged;
      await one.say('{"msgtype":"event"}');
      await one.say('{"msgtype":"timesync","txtime":1}');
      await one.messageOf('timesync', minute + 1);
    }
    assert.equal(link.paths.has(gatewayID), true);
    // The version, three pongs and two messages a minute.
    assert.deepEqual(
      link.signs,
      Array.from({ length: 10 }, () => 'received'),
    );
    const closed = one.closed();
    one.socket.pause();
    await link.clock.advance(66_000);
    one.socket.resume();
    await closed;
    assert.equal(link.paths.has(gatewayID), false);
    assert.equal(link.counts.get('gateway_connections_ended silent'), 1);
    assert.equal(link.signs.at(-1), 'websocket closed (1006)');
  });

  it('refuses a second connection while the first one is alive', async () => {
    await using link = await startLink();
    const first = await link.station();
    const second = await link.open(`/gateway/${gatewayID}`);
    assert.equal(second.status(), 409);
    assert.equal(link.counts.get('gateway_connections_refused connected'), 1);
    assert.equal(first.socket.readyState, WebSocket.OPEN);
  });

  it('accepts a station again whose previous connection is dead but not closed', async () => {
    await using link = await startLink();
    const dead = await link.station();
    // The client does not read any more, so pings stay unanswered.
    dead.socket.pause();
    const back = openSocket(`ws://127.0.0.1:${link.port}/gateway/${gatewayID}`);
    for (let turn = 0; turn < 200; turn += 1) await nextTurn();
    await link.clock.advance(5_000);
    await back.settled();
    await back.say(version);
    await back.messageOf('router_config');
    assert.equal(link.counts.get('gateway_connections_ended replaced'), 1);
    assert.equal(link.paths.send(gatewayID, downlink(new Uint8Array(16), [1000, 868_100_000, 7])), true);
    await back.messageOf('dnmsg');
    back.socket.terminate();
  });

  it('prefers a station with proof, and refuses one without a required proof', async () => {
    const identities: Record<string, Identity> = { proof: { provenBy: 'a key' }, none: 'refused' };
    await using link = await startLink({ identity: (given = '') => identities[given] ?? 'unproven' });
    const liar = await link.station();
    const gone = liar.closed();
    const real = await link.station({ authorization: 'proof' });
    await gone;
    const again = await link.open(`/gateway/${gatewayID}`);
    assert.equal(again.status(), 409);
    const refused = await link.open(`/gateway/${gatewayID}`, { authorization: 'none' });
    assert.equal(refused.status(), 403);
    const asking = await link.open('/router-info', { authorization: 'none' });
    await asking.say(`{"router":"${gatewayID}"}`);
    await asking.closed();
    assert.match(asking.inbox[0] ?? '', /did not prove/);
    assert.equal(real.socket.readyState, WebSocket.OPEN);
  });

  it('disconnects a station whose proof has ended', async () => {
    let identity: Identity = { provenBy: 'a key' };
    await using link = await startLink({ identity: () => identity });
    const one = await link.station();
    await link.clock.advance(10_000);
    assert.equal(one.socket.readyState, WebSocket.OPEN);
    identity = 'refused';
    const closed = one.closed();
    await link.clock.advance(5_000);
    assert.equal(await closed, 1008);
  });

  it('disconnects a station at once when it is informed that the proof has ended', async () => {
    let identity: Identity = { provenBy: 'a key' };
    await using link = await startLink({ identity: () => identity });
    const one = await link.station();
    link.listeners.get('a key')?.();
    identity = 'refused';
    const closed = one.closed();
    link.listeners.get('a key')?.();
    assert.equal(await closed, 1008);
    while (link.listeners.size > 0) await nextTurn();
  });

  it('disconnects a station whose gateway was removed', async () => {
    await using link = await startLink();
    const one = await link.station();
    link.known.clear();
    const closed = one.closed();
    await one.say(updf(uplink(1)));
    assert.equal(await closed, 1008);
    assert.deepEqual(link.received, []);
  });

  it('stops reading from a station while the journal is behind, and loses nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const received: gw.UplinkFrame[] = [];
    let offered = 0;
    await using link = await startLink({
      network: {
        async receive(frames) {
          offered += frames.length;
          await promise;
          received.push(...frames);
        },
      },
    });
    const one = await link.station();
    const total = 3000;
    const sent = Array.from({ length: total }, (_, nth) => one.say(updf(uplink(nth % 256))));
    while (offered < 256) await nextTurn();
    for (let turn = 0; turn < 500; turn += 1) await nextTurn();
    assert.ok(offered < 1000, `${offered} uplinks were taken at once`);
    resolve();
    while (received.length < total) await link.clock.advance(10);
    await Promise.all(sent);
    assert.deepEqual(
      received.map(({ phyPayload }) => phyPayload[6]),
      Array.from({ length: total }, (_, nth) => nth % 256),
    );
  });

  it('reads at most 800 messages per second from a station, answers as many, and loses nothing', async () => {
    await using link = await startLink();
    const one = await link.station();
    const total = 3000;
    const timesync = { msgtype: 'timesync', txtime: 1 };
    const sent = Array.from({ length: total }, (_, nth) => one.say(nth % 2 ? timesync : updf(uplink(nth % 256))));
    const read = () => link.signs.filter((sign) => sign === 'received').length;
    await link.counted('gateway_connections_held_up');
    for (let turn = 0; turn < 500; turn += 1) await nextTurn();
    // A socket that pauses passes on what it has read.
    assert.ok(read() < 1200, `${read()} messages were read at once`);
    await link.clock.advance(1000);
    for (let turn = 0; turn < 500; turn += 1) await nextTurn();
    assert.ok(read() < 2000, `${read()} messages were read after a second`);
    const isAnswered = () => one.inbox.length === total / 2 + 1 && link.received.length === total / 2;
    while (!isAnswered()) await link.clock.advance(10);
    await Promise.all(sent);
    assert.equal([...link.counts.keys()].filter((key) => key.includes('dropped')).length, 0);
  });

  it('reads fewer long messages per second', async () => {
    await using link = await startLink();
    const one = await link.station();
    const long = JSON.stringify({ msgtype: 'timesync', txtime: 1, padding: 'x'.repeat(60_000) });
    for (let nth = 0; nth < 100; nth += 1) one.socket.send(long, () => undefined);
    await link.counted('gateway_connections_held_up');
    for (let turn = 0; turn < 500; turn += 1) await nextTurn();
    assert.ok(one.inbox.length < 30, `${one.inbox.length - 1} messages were read at once`);
  });

  it('disconnects a station that does not read its downlinks', async () => {
    await using link = await startLink();
    const one = await link.station();
    one.socket.pause();
    const frame = downlink(new Uint8Array(16), [1000, 868_100_000, 7]);
    frame.items[0]!.phyPayload = new Uint8Array(255);
    let sent = 0;
    while (link.paths.send(gatewayID, frame) && sent < 100_000) {
      sent += 1;
      if (sent % 1000 === 0) await nextTurn();
    }
    assert.equal(link.counts.get('gateway_messages_dropped slow'), 1);
    while (link.paths.has(gatewayID)) await nextTurn();
  });

  it('drops and counts invalid messages, and serves the others', async () => {
    await using link = await startLink();
    const one = await link.station();
    for (const text of ['', '{', 'null', '{"msgtype":1}', '{"msgtype":"updf"}', '['.repeat(10_000)])
      await one.say(text);
    one.socket.send(Buffer.from([1, 2, 3]));
    await one.say(updf(uplink(3)));
    while (link.received.length === 0) await nextTurn();
    assert.equal(link.counts.get('gateway_messages_dropped json'), 3);
    assert.equal(link.counts.get('gateway_messages_dropped field'), 3);
    assert.equal(link.counts.get('gateway_messages_dropped binary'), 1);
    const closed = one.closed();
    await one.say('x'.repeat(70_000)).catch(() => undefined);
    assert.equal(await closed, 1009);
    assert.ok([...link.counts.keys()].includes('gateway_messages_dropped WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'));
  });

  it('refuses clients that are not stations', async () => {
    await using link = await startLink({ mostGateways: 0 });
    assert.equal((await link.open('/')).status(), 400);
    assert.equal((await link.open('/gateway/xyz')).status(), 400);
    assert.equal((await link.open('/gateway/%ff')).status(), 400);
    assert.equal((await link.open(`/gateway/${gatewayID}`)).status(), 503);
    assert.equal((await fetch(`http://127.0.0.1:${link.port}/`)).status, 426);
    const query = await link.open('/router-info');
    await query.say('hello');
    await query.closed();
    assert.deepEqual(query.inbox, []);
    const mute = await link.open('/router-info');
    const closed = mute.closed();
    await link.clock.advance(10_000);
    await closed;
    const raw = connectTCP(link.port, '127.0.0.1');
    raw.end('GET /gateway/x HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    raw.resume();
    await once(raw, 'close');
  });

  it('accepts only what a station can send', async () => {
    await using link = await startLink();
    const one = await link.open(`/gateway/${gatewayID}`);
    assert.equal(link.paths.send(gatewayID, downlink(new Uint8Array(16), [1000, 868_100_000, 7])), false, 'no version');
    await one.say(version);
    await one.messageOf('router_config');
    assert.equal(link.paths.send(gatewayID, downlink(new Uint8Array(4), [1000, 868_100_000, 7])), false);
    assert.deepEqual(link.counts.get('gateway_downlinks'), undefined);
  });
});
