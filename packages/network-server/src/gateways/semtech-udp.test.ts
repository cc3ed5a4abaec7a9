import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodePacket, encodePacket, type Packet } from '@hilltop/gateway-protocols';
import { region } from '@hilltop/lorawan';
import { create, gw } from '@hilltop/protobuf';
import { createFakeClock } from '../testing/fake-clock.ts';
import { readKernelQueue } from './kernel-queue.ts';
import type { GatewayNetwork } from './link.ts';
import { describeLink, type Peer } from './link-conformance.ts';
import { createGatewayPaths } from './paths.ts';
import { startSemtechUdp } from './semtech-udp.ts';

const gatewayID = '0a0b0c0d0e0f1011';
const stranger = 'ffffffffffffffff';
const rxpk = {
  tmst: 4_294_000_000,
  freq: 868.1,
  chan: 0,
  rfch: 0,
  stat: 1,
  modu: 'LORA',
  datr: 'SF7BW125',
  codr: '4/5',
  rssi: -60,
  lsnr: 7,
  size: 4,
  data: 'AQIDBA==',
};

/** A link with a network that records its calls, and sockets to send to it. */
async function startLink(limits: { mostGateways?: number; mostWaitingBytes?: number } = {}) {
  const clock = createFakeClock();
  const paths = createGatewayPaths();
  const counts = new Map<string, number>();
  const warnings: string[] = [];
  const received: gw.UplinkFrame[] = [];
  const acks: gw.DownlinkTXAck[] = [];
  const stats: gw.GatewayStats[] = [];
  const seen: string[] = [];
  const control = { storing: Promise.resolve(), looking: [] as Promise<void>[], known: new Set([gatewayID]) };
  const network: GatewayNetwork = {
    isPlanned: ({ frequency, loRaModulationInfo }) =>
      [868_100_000, 868_300_000].includes(frequency) && loRaModulationInfo?.bandwidth === 125,
    async receive(frames) {
      await control.storing;
      received.push(...frames);
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
    configurationOf: async () => create(gw.GatewayConfiguration),
  };
  const link = await startSemtechUdp({
    host: '127.0.0.1',
    port: 0,
    networkServerOf: async (id) => {
      await control.looking.shift();
      return control.known.has(id) ? network : null;
    },
    gateways: paths,
    clock,
    ...limits,
    log: {
      debug: () => undefined,
      info: () => undefined,
      warn: (_fields, text) => warnings.push(text),
      error: () => undefined,
    },
    count: (name, labels = {}, by = 1) => {
      const key = [name, ...Object.values(labels)].join(' ');
      counts.set(key, (counts.get(key) ?? 0) + by);
    },
  });
  const sockets: Socket[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= link.stop());

  /** A socket on its own port that records what it receives; `address` is one of the loopback interface. */
  function talk(address?: string) {
    const socket = createSocket('udp4');
    if (address) socket.bind(0, address);
    sockets.push(socket);
    const inbox: Packet[] = [];
    const underway: Promise<void>[] = [];
    let wake = () => {};
    socket.on('message', (bytes) => {
      inbox.push(decodePacket(bytes));
      wake();
    });
    return {
      send(packet: Packet | Uint8Array) {
        const bytes = packet instanceof Uint8Array ? packet : encodePacket(packet);
        underway.push(new Promise((resolve) => socket.send(bytes, link.address.port, '127.0.0.1', () => resolve())));
      },
      /** Resolves when all datagrams so far were sent. */
      sent: () => Promise.all(underway),
      async next(): Promise<Packet> {
        for (;;) {
          const packet = inbox.shift();
          if (packet) return packet;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
      inbox,
    };
  }

  return {
    clock,
    paths,
    counts,
    warnings,
    received,
    acks,
    stats,
    port: link.address.port,
    seen,
    control,
    talk,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      for (const socket of sockets) {
        socket.close();
        await once(socket, 'close');
      }
    },
  };
}

const pull = (token: number, version: 1 | 2 = 2): Packet => ({ type: 'PULL_DATA', version, token, gatewayID });
const push = (
  token: number,
  body: { rxpk?: unknown[]; stat?: unknown } = { rxpk: [rxpk] },
  from = gatewayID,
): Packet => {
  return { type: 'PUSH_DATA', version: 2, token, gatewayID: from, rxpk: body.rxpk ?? [], stat: body.stat };
};

function buildDownlink(...delays: number[]): gw.DownlinkFrame {
  return create(gw.DownlinkFrame, {
    downlinkID: Uint8Array.from({ length: 16 }, (_, index) => index + 1),
    token: 0x0102,
    gatewayID: Uint8Array.fromHex(gatewayID),
    items: delays.map((delay) => ({
      phyPayload: Uint8Array.of(1, 2, 3),
      txInfo: {
        frequency: 868_100_000,
        power: 14,
        loRaModulationInfo: { bandwidth: 125, spreadingFactor: 7, codeRate: '4/5', polarizationInversion: true },
        timing: 'DELAY' as const,
        delayTimingInfo: { delay },
        context: Uint8Array.of(0xff, 0xff, 0xff, 0xff),
      },
    })),
  });
}

describe('Semtech UDP link', () => {
  it('echoes version and token in its acknowledgements', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    for (const version of [1, 2] as const) {
      gateway.send(pull(0x1234, version));
      assert.deepEqual(await gateway.next(), { type: 'PULL_ACK', version, token: 0x1234 });
      gateway.send({ ...push(0x4321), version } as Packet);
      assert.deepEqual(await gateway.next(), { type: 'PUSH_ACK', version, token: 0x4321 });
    }
    assert.equal(link.received.length, 2);
    assert.deepEqual([...new Set(link.seen)], [gatewayID]);
  });

  it('acknowledges an unknown gateway without parsing its JSON', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    const broken = Uint8Array.from([...encodePacket(push(7, {}, stranger)).subarray(0, 12), 0x7b, 0x22]);
    gateway.send(broken);
    assert.deepEqual(await gateway.next(), { type: 'PUSH_ACK', version: 2, token: 7 });
    assert.equal(link.received.length, 0);
    assert.deepEqual([...link.counts], [['gateway_datagrams_dropped unknown-gateway', 1]]);
  });

  it('acknowledges an uplink when it is on disk, and not when it was refused', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    const { promise, resolve } = Promise.withResolvers<void>();
    link.control.storing = promise;
    gateway.send(push(1));
    gateway.send(pull(2));
    assert.equal((await gateway.next()).type, 'PULL_ACK');
    assert.deepEqual(gateway.inbox, []);
    resolve();
    assert.deepEqual(await gateway.next(), { type: 'PUSH_ACK', version: 2, token: 1 });
    link.control.storing = Promise.reject(new Error('no room'));
    link.control.storing.catch(() => undefined);
    gateway.send(push(3));
    gateway.send(pull(4));
    assert.deepEqual(await gateway.next(), { type: 'PULL_ACK', version: 2, token: 4 });
    assert.deepEqual(gateway.inbox, []);
    assert.equal(link.counts.get('gateway_datagrams_dropped not-taken'), 1);
  });

  it('stores the uplinks of one gateway in order, also while the gateway is looked up', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    const { promise, resolve } = Promise.withResolvers<void>();
    link.control.looking.push(promise);
    for (const tmst of [1, 2, 3]) gateway.send(push(tmst, { rxpk: [{ ...rxpk, tmst }] }));
    await gateway.sent();
    gateway.send(push(4, {}, stranger));
    assert.equal((await gateway.next()).token, 4);
    resolve();
    for (const token of [1, 2, 3]) assert.equal((await gateway.next()).token, token);
    assert.deepEqual(
      link.received.map(({ rxInfo }) => rxInfo?.context.at(-1)),
      [1, 2, 3],
    );
  });

  it('sends downlinks to the address of PULL_DATA, never to that of PUSH_DATA', async () => {
    await using link = await startLink();
    const [up, down] = [link.talk(), link.talk()];
    down.send(pull(1));
    await down.next();
    up.send(push(2));
    await up.next();
    assert.equal(link.paths.send(gatewayID, buildDownlink(1000)), true);
    const response = await down.next();
    assert.equal(response.type, 'PULL_RESP');
    assert.equal(response.token, 0x0102);
    assert.equal(response.type === 'PULL_RESP' && (response.txpk as { tmst: number }).tmst, 999_999);
    assert.deepEqual(up.inbox, []);
  });

  it('tries the next window when the first was refused, and reports both', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    gateway.send(pull(1));
    await gateway.next();
    link.paths.send(gatewayID, buildDownlink(1000, 2000));
    const first = await gateway.next();
    gateway.send({ type: 'TX_ACK', version: 2, token: first.token, gatewayID, error: 'TOO_LATE', warn: '' });
    const second = await gateway.next();
    assert.notEqual(second.token, first.token);
    assert.equal(second.type === 'PULL_RESP' && (second.txpk as { tmst: number }).tmst, 1_999_999);
    gateway.send({ type: 'TX_ACK', version: 2, token: second.token, gatewayID, error: '', warn: '' });
    gateway.send(pull(9));
    await gateway.next();
    assert.deepEqual(
      link.acks.map(({ items }) => items.map(({ status }) => status)),
      [['TOO_LATE', 'OK']],
    );
  });

  it('reports failure when all windows were refused, and ignores forgotten tokens', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    gateway.send(pull(1));
    await gateway.next();
    link.paths.send(gatewayID, buildDownlink(1000));
    const { token } = await gateway.next();
    gateway.send({ type: 'TX_ACK', version: 2, token, gatewayID, error: 'WHATEVER', warn: '' });
    gateway.send({ type: 'TX_ACK', version: 2, token, gatewayID, error: '', warn: '' });
    gateway.send(pull(2));
    await gateway.next();
    assert.deepEqual(
      link.acks.map(({ items }) => items.map(({ status }) => status)),
      [['INTERNAL_ERROR']],
    );
    assert.equal(link.counts.get('gateway_acks_unknown'), 1);
    link.paths.send(gatewayID, buildDownlink(1000));
    await gateway.next();
    await link.clock.advance(16_000);
    gateway.send({ type: 'TX_ACK', version: 2, token, gatewayID, error: '', warn: '' });
    gateway.send(pull(3));
    await gateway.next();
    assert.equal(link.counts.get('gateway_acks_unknown'), 2);
  });

  it('counts a downlink of a version 1 gateway as sent, under token 0', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    gateway.send(pull(1, 1));
    await gateway.next();
    link.paths.send(gatewayID, buildDownlink(1000, 2000));
    assert.equal((await gateway.next()).token, 0);
    gateway.send(pull(2, 1));
    await gateway.next();
    assert.deepEqual(
      link.acks.map(({ items }) => items.map(({ status }) => status)),
      [['OK', 'IGNORED']],
    );
  });

  it('lets no other address take over the path of a connected gateway, and shows the attempts', async () => {
    await using link = await startLink();
    const [gateway, thief] = [link.talk(), link.talk('127.0.0.2')];
    gateway.send(pull(1));
    await gateway.next();
    await link.clock.advance(14_000);
    thief.send(pull(2));
    assert.equal((await thief.next()).type, 'PULL_ACK');
    thief.send(pull(3));
    await thief.next();
    link.paths.send(gatewayID, buildDownlink(1000));
    assert.equal((await gateway.next()).type, 'PULL_RESP');
    assert.deepEqual(thief.inbox, []);
    assert.equal(link.counts.get('gateway_path_held'), 2);
    for (const token of [6, 7]) {
      gateway.send(push(token, { stat: { rxnb: 1, meta: { model: 'x' } } }));
      await gateway.next();
    }
    assert.deepEqual(
      link.stats.map(({ metaData }) => metaData),
      [
        { model: 'x', pullsRefused: '2 from 127.0.0.2', link: 'semtech-udp' },
        { model: 'x', link: 'semtech-udp' },
      ],
    );
    await link.clock.advance(61_000);
    assert.equal(link.paths.has(gatewayID), false);
    assert.equal(link.paths.send(gatewayID, buildDownlink(1000)), false);
    thief.send(pull(4));
    await thief.next();
    thief.send(pull(5));
    await thief.next();
    assert.equal(link.paths.has(gatewayID), true);
  });

  const ok = (token: number, of = gatewayID): Packet => ({
    type: 'TX_ACK',
    version: 2,
    token,
    gatewayID: of,
    error: '',
    warn: '',
  });
  type Talk = ReturnType<Awaited<ReturnType<typeof startLink>>['talk']>;
  /** Sends PULL_DATA and waits until it was processed. */
  async function pulled(talker: Talk): Promise<void> {
    for (const token of [101, 102]) {
      talker.send(pull(token));
      assert.equal((await talker.next()).type, 'PULL_ACK');
    }
  }

  it('moves a gateway to a new address when the old one has not pulled for 15 s', async () => {
    await using link = await startLink();
    const [before, after] = [link.talk(), link.talk('127.0.0.2')];
    await pulled(before);
    await link.clock.advance(14_000);
    await pulled(after);
    assert.equal(link.paths.of(gatewayID)?.source, '127.0.0.1');
    await link.clock.advance(1000);
    await pulled(after);
    assert.equal(link.paths.of(gatewayID)?.source, '127.0.0.2');
    link.paths.send(gatewayID, buildDownlink(1000));
    assert.equal((await after.next()).type, 'PULL_RESP');
    assert.deepEqual(before.inbox, []);
  });

  it('moves a gateway to a new address when the old one does not confirm a downlink', async () => {
    await using link = await startLink();
    const [before, after] = [link.talk(), link.talk('127.0.0.2')];
    await pulled(before);
    link.paths.send(gatewayID, buildDownlink(1000));
    await link.clock.advance(1999);
    await pulled(after);
    assert.equal(link.paths.of(gatewayID)?.source, '127.0.0.1');
    await link.clock.advance(1);
    await pulled(after);
    assert.equal(link.paths.of(gatewayID)?.source, '127.0.0.2');
  });

  it('stays with an address that confirms its downlinks or still pulls', async () => {
    await using link = await startLink();
    const [gateway, thief] = [link.talk(), link.talk('127.0.0.2')];
    await pulled(gateway);
    link.paths.send(gatewayID, buildDownlink(1000));
    const { token } = await gateway.next();
    gateway.send(ok(token));
    await pulled(gateway);
    await link.clock.advance(5000);
    await pulled(thief);
    assert.equal(link.paths.of(gatewayID)?.source, '127.0.0.1');
    link.paths.send(gatewayID, buildDownlink(1000));
    await link.clock.advance(1000);
    await gateway.next();
    await pulled(gateway);
    await link.clock.advance(5000);
    await pulled(thief);
    assert.equal(link.paths.of(gatewayID)?.source, '127.0.0.1');
  });

  it('returns a gateway to its former address when that pulls again', async () => {
    await using link = await startLink();
    const [gateway, thief] = [link.talk(), link.talk('127.0.0.2')];
    await pulled(gateway);
    await link.clock.advance(15_000);
    await pulled(thief);
    assert.equal(link.paths.of(gatewayID)?.source, '127.0.0.2');
    await pulled(gateway);
    assert.equal(link.paths.of(gatewayID)?.source, '127.0.0.1');
    await pulled(thief);
    assert.equal(link.paths.of(gatewayID)?.source, '127.0.0.1');
  });

  it('accepts no report on a downlink from an address that took over after it was sent', async () => {
    await using link = await startLink();
    const [before, after] = [link.talk(), link.talk('127.0.0.2')];
    await pulled(before);
    link.paths.send(gatewayID, buildDownlink(1000));
    const { token } = await before.next();
    await link.clock.advance(2000);
    await pulled(after);
    after.send(ok(token));
    await pulled(after);
    assert.deepEqual(link.acks, []);
    assert.equal(link.counts.get('gateway_acks_foreign'), 1);
  });

  it('accepts a report on a downlink once, also when the next window follows', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    await pulled(gateway);
    link.paths.send(gatewayID, buildDownlink(1000, 2000));
    const { token } = await gateway.next();
    const refused: Packet = { type: 'TX_ACK', version: 2, token, gatewayID, error: 'TOO_LATE', warn: '' };
    gateway.send(refused);
    gateway.send(refused);
    const second = await gateway.next();
    await pulled(gateway);
    assert.equal(link.acks.length, 0);
    assert.equal(link.counts.get('gateway_acks_unknown'), 1);
    gateway.send(ok(second.token));
    await pulled(gateway);
    assert.deepEqual(
      link.acks.map(({ items }) => items.map(({ status }) => status)),
      [['TOO_LATE', 'OK']],
    );
  });

  it('sends nothing more to a removed gateway', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    gateway.send(pull(1));
    while (!link.paths.has(gatewayID)) await nextTurn();
    link.control.known.delete(gatewayID);
    gateway.send(pull(2));
    while (link.paths.has(gatewayID)) await nextTurn();
    assert.equal(link.paths.send(gatewayID, buildDownlink(1000)), false);
    link.control.known.add(gatewayID);
    gateway.send(pull(3));
    while (!link.paths.has(gatewayID)) await nextTurn();
  });

  it('accepts everything of the pulling address next to a flood in the name of its gateway, and counts the drops', async () => {
    await using link = await startLink();
    await link.clock.advance(31_000);
    const [gateway, stranger] = [link.talk(), link.talk('127.0.0.2')];
    gateway.send(pull(1));
    await gateway.next();
    for (let token = 0; token < 1200; token += 1) stranger.send(push(token));
    await stranger.sent();
    for (const token of [1, 2, 3]) {
      gateway.send(push(token));
      assert.deepEqual(await gateway.next(), { type: 'PUSH_ACK', version: 2, token });
    }
    const counted = (fault: string) => link.counts.get(`gateway_datagrams_dropped ${fault}`) ?? 0;
    const dropped = counted('rate-limit');
    assert.ok(dropped >= 150, `${dropped} dropped`);
    assert.equal(link.received.length, 1200 + 3 - dropped);
  });

  it('parses nothing of an address that sends too much', async () => {
    await using link = await startLink();
    await link.clock.advance(31_000);
    const stranger = link.talk('127.0.0.2');
    const broken = Uint8Array.from([...encodePacket(push(7, {})).subarray(0, 12), 0x7b, 0x22]);
    for (let sent = 0; sent < 1200; sent += 1) stranger.send(broken);
    await stranger.sent();
    const counted = (fault: string) => link.counts.get(`gateway_datagrams_dropped ${fault}`) ?? 0;
    while (counted('json') + counted('rate-limit') < 1200) await nextTurn();

    assert.ok(counted('json') < 1050);
  });

  it('moves a gateway to a new port of its address at once', async () => {
    await using link = await startLink();
    const [before, after] = [link.talk(), link.talk()];
    before.send(pull(1));
    await before.next();
    after.send(pull(2));
    await after.next();
    after.send(pull(3));
    await after.next();
    link.paths.send(gatewayID, buildDownlink(1000));
    assert.equal((await after.next()).type, 'PULL_RESP');
    assert.deepEqual(before.inbox, []);
    assert.equal(link.counts.get('gateway_path_held'), undefined);
    assert.equal(link.counts.get('gateway_path_moved'), 1);
    assert.deepEqual(link.warnings, ['The downlinks of a gateway go to another port of its address.']);
  });

  it('accepts a report on a downlink only from the address that pulls, and once', async () => {
    await using link = await startLink();
    const [gateway, liar] = [link.talk(), link.talk('127.0.0.2')];
    gateway.send(pull(1));
    await gateway.next();
    link.paths.send(gatewayID, buildDownlink(1000));
    const { token } = await gateway.next();
    for (const guess of [token - 1, token, token + 1]) liar.send(ok(guess));
    liar.send(pull(2));
    await liar.next();
    assert.deepEqual(link.acks, []);
    assert.equal(link.counts.get('gateway_acks_foreign'), 3);
    for (const guess of [token + 1, token, token]) gateway.send(ok(guess));
    gateway.send(pull(3));
    await gateway.next();
    assert.equal(link.acks.length, 1);
    assert.equal(link.counts.get('gateway_acks_unknown'), 2);
  });

  it('logs one line a minute about reports on downlinks for invented gateways, and counts each of them', async () => {
    await using link = await startLink();
    const [gateway, liar] = [link.talk(), link.talk('127.0.0.2')];
    await pulled(gateway);
    for (let n = 0; n < 20; n++) liar.send(ok(n, `aaaaaaaaaaaaaa${String(n).padStart(2, '0')}`));
    liar.send(ok(1));
    await pulled(liar);
    assert.equal(link.counts.get('gateway_acks_foreign'), 21);
    const text = 'An address that does not pull reports on a downlink.';
    assert.equal(link.warnings.filter((one) => one === text).length, 2, 'invented ones together, and the known one');
  });

  it('gives each downlink that a gateway has its own token', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    gateway.send(pull(1));
    await gateway.next();
    const [one, two] = [buildDownlink(1000), { ...buildDownlink(3000), downlinkID: new Uint8Array(16) }];
    link.paths.send(gatewayID, one);
    link.paths.send(gatewayID, two);
    const tokens = [(await gateway.next()).token, (await gateway.next()).token];
    assert.deepEqual(tokens, [0x0102, 0x0103]);
    for (const [index, token] of tokens.entries()) {
      const error = index === 0 ? 'TOO_LATE' : '';
      gateway.send({ type: 'TX_ACK', version: 2, token, gatewayID, error, warn: '' });
    }
    gateway.send(pull(2));
    await gateway.next();
    assert.deepEqual(
      link.acks.map(({ downlinkID, items }) => [downlinkID.toHex(), items[0]?.status]),
      [
        [one.downlinkID.toHex(), 'TOO_LATE'],
        [two.downlinkID.toHex(), 'OK'],
      ],
    );
  });

  it('counts frequencies and data-rates outside the network together', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    const made = (nth: number) => ({ ...rxpk, freq: 860 + nth / 1000, datr: nth % 2 ? 'SF7BW500' : rxpk.datr });
    for (let datagram = 0; datagram < 20; datagram += 1) {
      gateway.send(push(datagram, { rxpk: Array.from({ length: 50 }, (_, nth) => made(datagram * 50 + nth)) }));
      await gateway.next();
    }
    gateway.send(push(21, { rxpk: [rxpk, { ...rxpk, codr: '4/8' }, { ...rxpk, datr: 'SF7BW500' }], stat: {} }));
    await gateway.next();
    const [report] = link.stats;
    assert.deepEqual(report?.rxPacketsPerFrequency, { 0: 1001, 868100000: 2 });
    assert.deepEqual(
      report?.rxPacketsPerModulation.map(({ count }) => count),
      [2],
    );
  });

  it('counts the datagrams that the kernel dropped', async (test) => {
    await using link = await startLink();
    if ((await readKernelQueue({ port: link.port, isIPv6: false })) === null)
      return test.skip('the platform does not tell');
    const gateway = link.talk();
    for (let sent = 0; sent < 1000; sent += 1) gateway.send(new Uint8Array(60_000));
    await gateway.sent();
    const counted = (fault: string) => link.counts.get(`gateway_datagrams_dropped ${fault}`) ?? 0;
    for (let before = -1; before !== counted('version'); ) {
      before = counted('version');
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    }
    await link.clock.advance(10_000);
    while (counted('kernel') === 0) await nextTurn();
    assert.equal(counted('kernel') + counted('version'), 1000);
  });

  it('reports statistics with address and its own counts, once', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    gateway.send(pull(1));
    await gateway.next();
    gateway.send(push(2, { rxpk: [rxpk, { ...rxpk, freq: 868.3 }] }));
    await gateway.next();
    link.paths.send(gatewayID, buildDownlink(1000));
    const { token } = await gateway.next();
    gateway.send({ type: 'TX_ACK', version: 2, token, gatewayID, error: 'TX_FREQ', warn: '' });
    const stat = { time: '2026-11-21 12:00:00 GMT', rxnb: 5, rxok: 4, rxfw: 4, ackr: 100, dwnb: 1, txnb: 0 };
    gateway.send(push(3, { stat }));
    await gateway.next();
    gateway.send(push(4, { stat }));
    await gateway.next();
    const [first, second] = link.stats;
    assert.equal(first?.ip, '127.0.0.1');
    assert.equal(first?.rxPacketsReceived, 5);
    assert.deepEqual(first?.rxPacketsPerFrequency, { 868100000: 1, 868300000: 1 });
    assert.deepEqual(first?.txPacketsPerFrequency, { 868100000: 1 });
    assert.deepEqual(first?.txPacketsPerStatus, { TX_FREQ: 1 });
    assert.equal(first?.rxPacketsPerModulation[0]?.count, 2);
    assert.deepEqual(second?.rxPacketsPerFrequency, {});
  });

  it('drops invalid datagrams, counts each, warns once, and serves the others', async () => {
    await using link = await startLink();
    const [gateway, vandal] = [link.talk(), link.talk()];
    const header = encodePacket(push(1, {})).subarray(0, 12);
    const broken = [
      Uint8Array.of(),
      Uint8Array.of(2),
      Uint8Array.of(3, 0, 0, 0),
      Uint8Array.of(2, 0, 0, 9),
      Uint8Array.of(2, 0, 0, 0, 1),
      Uint8Array.of(2, 0, 0, 3),
      Uint8Array.from([...header, ...new TextEncoder().encode('{"rxpk":')]),
      Uint8Array.from([...header, ...new TextEncoder().encode('[]')]),
      Uint8Array.from([...header, ...new TextEncoder().encode('{"rxpk":{}}')]),
    ];
    for (let round = 0; round < 20; round++) for (const bytes of broken) vandal.send(bytes);
    let seed = 1;
    for (let round = 0; round < 200; round++) {
      const bytes = encodePacket(push(round));
      seed = (seed * 48271) % 2147483647;
      bytes[seed % bytes.length] = seed & 0xff;
      vandal.send(bytes);
    }
    gateway.send(push(5, { rxpk: [{ ...rxpk, datr: 'SF99' }, rxpk, null, 7] }));
    assert.deepEqual(await gateway.next(), { type: 'PUSH_ACK', version: 2, token: 5 });
    assert.ok(link.received.length >= 1);
    assert.ok((link.counts.get('gateway_datagrams_dropped json') ?? 0) >= 20);
    assert.ok((link.counts.get('gateway_datagrams_dropped version') ?? 0) >= 20);
    assert.ok(link.warnings.length <= 8, `${link.warnings.length} warnings`);
  });

  it('limits the datagrams that wait while their gateways are looked up', async () => {
    await using link = await startLink({ mostWaitingBytes: 400 });
    const { promise, resolve } = Promise.withResolvers<void>();
    link.control.looking.push(promise);
    const gateway = link.talk();
    for (let token = 1; token <= 10; token += 1) gateway.send(push(token));
    while (!link.counts.has('gateway_datagrams_dropped full')) await nextTurn();
    resolve();
    while (link.received.length + (link.counts.get('gateway_datagrams_dropped full') ?? 0) < 10) await nextTurn();
    assert.ok(link.received.length > 0 && link.received.length < 10);
    const before = link.received.length;
    gateway.send(push(11));
    while (link.received.length === before) await nextTurn();
  });

  it('limits the number of paths, and counts refused gateways', async () => {
    await using link = await startLink({ mostGateways: 0 });
    const gateway = link.talk();
    gateway.send(pull(1));
    assert.deepEqual(await gateway.next(), { type: 'PULL_ACK', version: 2, token: 1 });
    gateway.send(push(2));
    await gateway.next();
    assert.equal(link.counts.get('gateway_paths_full'), 1);
    assert.equal(link.paths.send(gatewayID, buildDownlink(1000)), false);
  });

  it('counts a datagram that could not be sent, and warns', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    gateway.send(pull(1));
    await gateway.next();
    const downlink = buildDownlink(1000);
    downlink.items[0]!.phyPayload = new Uint8Array(60_000);
    link.paths.send(gatewayID, downlink);
    gateway.send(push(2));
    await gateway.next();
    assert.equal(link.counts.get('gateway_answers_failed'), 1);
    assert.deepEqual(link.warnings, ['A datagram could not be sent.']);
  });

  it('does not try to answer after its stop', async () => {
    await using link = await startLink();
    const gateway = link.talk();
    const { promise, resolve } = Promise.withResolvers<void>();
    link.control.storing = promise;
    gateway.send(push(1));
    gateway.send(pull(2));
    await gateway.next();
    await link.stop();
    resolve();
    while (link.seen.length === 0) await nextTurn();
    await nextTurn();
    assert.deepEqual(link.warnings, []);
    assert.equal(link.counts.get('gateway_answers_failed'), undefined);
  });

  it('refuses a port that is in use', async () => {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    await assert.rejects(
      startSemtechUdp({
        host: '127.0.0.1',
        port: socket.address().port,
        networkServerOf: async () => null,
        gateways: createGatewayPaths(),
        clock: createFakeClock(),
        log,
        count: () => undefined,
      }),
      { code: 'EADDRINUSE' },
    );
    socket.close();
  });

  it('listens at a host name', async () => {
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    const rest = { networkServerOf: async () => null, gateways: createGatewayPaths(), clock: createFakeClock(), log };
    await using link = await startSemtechUdp({ host: 'localhost', port: 0, ...rest, count: () => undefined });
    assert.equal(link.address.host, '127.0.0.1');
  });
});

describeLink('Semtech UDP', async (needs, clock) => {
  const link = await startSemtechUdp({ ...needs, host: '127.0.0.1', port: 0 });
  const sockets: Socket[] = [];

  function peer(id: string): Peer {
    const socket = createSocket('udp4');
    sockets.push(socket);
    const inbox: Packet[] = [];
    let pushed = 0;
    let asked = 0;
    socket.on('message', (bytes) => inbox.push(decodePacket(bytes)));
    const send = (packet: Packet | Uint8Array) =>
      new Promise<void>((resolve) => {
        const bytes = packet instanceof Uint8Array ? packet : encodePacket(packet);
        socket.send(bytes, link.address.port, '127.0.0.1', () => resolve());
      });
    async function take<Type extends Packet['type']>(type: Type, nth: number) {
      for (;;) {
        const found = inbox.filter((packet): packet is Packet & { type: Type } => packet.type === type)[nth - 1];
        if (found) return found;
        await nextTurn();
      }
    }
    return {
      async connect() {
        await send({ type: 'PULL_DATA', version: 2, token: 1, gatewayID: id });
        await take('PULL_ACK', 1);
        for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      },
      disconnect: () => clock.advance(70_000),
      receiveFrame(phyPayload) {
        pushed += 1;
        const arrived = { ...rxpk, size: phyPayload.length, data: phyPayload.toBase64() };
        return send({ ...push(pushed, { rxpk: [arrived] }), gatewayID: id } as Packet);
      },
      async acknowledged(uplinks) {
        await take('PUSH_ACK', uplinks);
      },
      report: () => send({ ...push(0, { stat: { rxnb: 1, rxok: 1, rxfw: 1 } }), gatewayID: id } as Packet),
      async asked() {
        asked += 1;
        const { txpk } = await take('PULL_RESP', asked);
        const { freq, data } = txpk as { freq: number; data: string };
        return { phyPayload: Uint8Array.fromBase64(data).toHex(), frequency: Math.round(freq * 1e6) };
      },
      async answer(status) {
        const { token } = await take('PULL_RESP', asked);
        const error = status === 'OK' ? '' : status;
        await send({ type: 'TX_ACK', version: 2, token, gatewayID: id, error, warn: '' });
      },
      babble: () => send(new TextEncoder().encode('GET / HTTP/1.1')),
    };
  }
  return { link, peer, close: async () => sockets.splice(0).forEach((socket) => socket.close()) };
});
