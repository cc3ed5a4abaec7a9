import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BridgeFormat, bridgeGateway } from '@hilltop/gateway-protocols';
import { region } from '@hilltop/lorawan';
import { create, gw } from '@hilltop/protobuf';
import { createFakeClock } from '../testing/fake-clock.ts';
import type { GatewayNetwork } from './link.ts';
import { describeLink, type Peer } from './link-conformance.ts';
import { type BridgeClient, startMqttGateways } from './mqtt.ts';
import { createGatewayPaths } from './paths.ts';

const v3: BridgeFormat = { version: 3, encoding: 'protobuf' };
const v4: BridgeFormat = { version: 4, encoding: 'json' };

for (const [format, prefix, isProven] of [
  [v3, '', true],
  [{ version: 3, encoding: 'json' }, '', false],
  [{ version: 4, encoding: 'protobuf' }, 'eu868/', true],
  [v4, 'eu868/', false],
] as [BridgeFormat, string, boolean][])
  describeLink(
    `MQTT, version ${format.version} in ${format.encoding},`,
    async (needs) => {
      const link = startMqttGateways(needs);

      function peer(gatewayID: string): Peer {
        const id = Uint8Array.fromHex(gatewayID);
        const inbox: { topic: string; payload: Uint8Array }[] = [];
        let [asked, arrived] = [0, 0];
        const client: BridgeClient = {
          isProven,
          publish: (topic, payload) => inbox.push({ topic, payload }) > 0,
        };
        const say = async (rest: string, payload: Uint8Array) => {
          const message = { topic: `${prefix}gateway/${gatewayID}/${rest}`, payload, isRetained: false };
          void link.take(client, message).then(
            () => {
              if (rest === 'event/up') arrived += 1;
            },
            () => undefined,
          );
        };
        const state = (to: gw.ConnStateState) => bridgeGateway.connState(format, { gatewayID: id, state: to });
        const down = async (nth: number) => {
          while (inbox.length < nth) await nextTurn();
          const { topic, payload } = inbox[nth - 1]!;
          assert.equal(topic, `${prefix}gateway/${gatewayID}/command/down`);
          return bridgeGateway.readDownlink(gatewayID, payload);
        };
        return {
          async connect() {
            await say('state/conn', state('ONLINE'));
            for (let turn = 0; turn < 5; turn += 1) await nextTurn();
          },
          async disconnect() {
            await say('state/conn', state('OFFLINE'));
          },
          receiveFrame: (phyPayload) =>
            say(
              'event/up',
              bridgeGateway.uplink(
                format,
                create(gw.UplinkFrame, {
                  phyPayload,
                  txInfo: {
                    frequency: 868_100_000,
                    loRaModulationInfo: { bandwidth: 125, spreadingFactor: 7, codeRate: '4/5' },
                  },
                  rxInfo: { gatewayID: id, rssi: -60, loRaSNR: 7, context: Uint8Array.of(1, 2), crcStatus: 'CRC_OK' },
                }),
              ),
            ),
          async acknowledged(uplinks) {
            while (arrived < uplinks) await nextTurn();
          },
          report: () => say('event/stats', bridgeGateway.stats(format, create(gw.GatewayStats, { gatewayID: id }))),
          async asked() {
            asked += 1;
            const [first] = (await down(asked)).items;
            return { phyPayload: first!.phyPayload.toHex(), frequency: first!.txInfo!.frequency };
          },
          async answer(status) {
            const { downlinkID, items } = await down(asked);
            const statuses = items.map((_, index) => ({ status: index === 0 ? status : ('IGNORED' as const) }));
            const ack = create(gw.DownlinkTXAck, { gatewayID: id, downlinkID, items: statuses });
            await say('event/ack', bridgeGateway.txAck(format, ack));
          },
          babble: () => say('event/up', new TextEncoder().encode('GET / HTTP/1.1')),
        };
      }
      return { link, peer, close: async () => undefined };
    },
    { without: isProven ? ['unproven'] : [] },
  );

const gatewayID = '0a0b0c0d0e0f1011';
const id = Uint8Array.fromHex(gatewayID);

function open(mostGateways?: number) {
  const clock = createFakeClock();
  const gateways = createGatewayPaths();
  const counts: Record<string, number> = {};
  const seen: string[] = [];
  const signs: string[] = [];
  const network: GatewayNetwork = {
    isPlanned: () => true,
    receive: async () => undefined,
    gatewayStats: async () => undefined,
    gatewaySeen: async (one) => void seen.push(one),
    transmitted: async () => undefined,
    region: region('EU868'),
    beaconFrequency: () => 0,
    configurationOf: async () => create(gw.GatewayConfiguration),
  };
  const quiet = () => undefined;
  const link = startMqttGateways({
    networkServerOf: async () => network,
    gateways,
    signs: { received: () => void signs.push('received'), ended: (_id, reason) => void signs.push(reason) },
    clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    count: (name, labels = {}, by = 1) => {
      const key = [name, ...Object.values(labels)].join(' ');
      counts[key] = (counts[key] ?? 0) + by;
    },
    ...(mostGateways !== undefined && { mostGateways }),
  });
  const published: { topic: string; payload: Uint8Array }[] = [];
  const client = (isProven: boolean): BridgeClient => ({
    isProven,
    publish: (topic, payload) => published.push({ topic, payload }) > 0,
  });
  return { link, clock, gateways, counts, seen, signs, published, client };
}

const online = (format = v3, of = id) => bridgeGateway.connState(format, { gatewayID: of, state: 'ONLINE' });
const stats = (metaData: Record<string, string>, format = v3) =>
  bridgeGateway.stats(format, create(gw.GatewayStats, { gatewayID: id, metaData }));
const state = `gateway/${gatewayID}/state/conn`;

describe('a gateway by MQTT', () => {
  it('gets commands through the client and in the format of its last message', async () => {
    const { link, gateways, published, client } = open();
    const own = client(true);
    const frame = create(gw.DownlinkFrame, { gatewayID: id, downlinkID: new Uint8Array(16), items: [{ txInfo: {} }] });
    await link.take(own, { topic: state, payload: online(), isRetained: false });
    gateways.send(gatewayID, frame);
    await link.take(own, { topic: `us915/${state}`, payload: online(v4), isRetained: false });
    gateways.send(gatewayID, frame);
    assert.deepEqual(
      published.map(({ topic }) => topic),
      [`gateway/${gatewayID}/command/down`, `us915/gateway/${gatewayID}/command/down`],
    );
    assert.equal(published[1]?.payload[0], '{'.charCodeAt(0));
    await link.stop();
  });

  it('gets its channels once it reports that it supports this', async () => {
    const { link, gateways, published, client } = open();
    const own = client(true);
    const topic = `gateway/${gatewayID}/event/stats`;
    await link.take(own, { topic, payload: stats({}), isRetained: false });
    assert.ok(!('configure' in gateways.of(gatewayID)!));
    await link.take(own, { topic, payload: stats({ concentratord_version: '3.3' }), isRetained: false });
    gateways.of(gatewayID)?.configure?.(create(gw.GatewayConfiguration, { gatewayID: id, version: 'v-1' }));
    assert.equal(published[0]?.topic, `gateway/${gatewayID}/command/config`);
    assert.equal(bridgeGateway.readConfiguration(gatewayID, published[0].payload).version, 'v-1');
    await link.stop();
  });

  it('counts as silent after three missed reports, at a broker with many gateways', async () => {
    const { link, clock, gateways, client } = open();
    const broker = client(false);
    const topic = `gateway/${gatewayID}/event/stats`;
    await link.take(broker, { topic, payload: stats({}), isRetained: false });
    await clock.advance(60_000);
    await link.take(broker, { topic, payload: stats({}), isRetained: false });
    await clock.advance(175_000);
    assert.equal(gateways.has(gatewayID), true);
    await clock.advance(20_000);
    assert.equal(gateways.has(gatewayID), false);
    await link.stop();
  });

  it('has a path for as long as its own connection', async () => {
    const { link, clock, gateways, client } = open();
    const own = client(true);
    await link.take(own, { topic: state, payload: online(), isRetained: false });
    await clock.advance(3_600_000);
    assert.equal(gateways.has(gatewayID), true);
    link.gone(own);
    assert.equal(gateways.has(gatewayID), false);
    await link.stop();
  });

  it('is alive for as long as its own connection, or as the broker says so and it sends statistics', async () => {
    const own = open();
    const connection = own.client(true);
    await own.link.take(connection, { topic: state, payload: online(), isRetained: false });
    await own.clock.advance(25_000);
    own.link.gone(connection);
    assert.deepEqual(own.signs, ['received', 'received', 'received', 'MQTT connection closed']);
    await own.link.stop();

    const { link, clock, signs, client } = open();
    const broker = client(false);
    await link.take(broker, { topic: state, payload: online(), isRetained: true });
    await clock.advance(20_000);
    assert.deepEqual(signs, ['received', 'received', 'received']);
    await clock.advance(3_600_000);
    const { length } = signs;
    assert.ok(length <= 31, 'five minutes without a message');
    const offline = bridgeGateway.connState(v3, { gatewayID: id, state: 'OFFLINE' });
    await link.take(broker, { topic: state, payload: offline, isRetained: true });
    assert.deepEqual(signs.slice(length), ['MQTT last will']);
    await link.take(broker, { topic: state, payload: online(), isRetained: false });
    link.gone(broker);
    assert.deepEqual(signs.slice(length), ['MQTT last will', 'received']);
    await link.stop();
  });

  it('uses its newest connection, whatever happens to the old one', async () => {
    const { link, gateways, client } = open();
    const [first, second] = [client(true), client(true)];
    await link.take(first, { topic: state, payload: online(), isRetained: false });
    await link.take(second, { topic: state, payload: online(), isRetained: false });
    const path = gateways.of(gatewayID);
    link.gone(first);
    assert.equal(gateways.of(gatewayID), path);
    await link.stop();
  });

  it('is not marked as seen by retained messages', async () => {
    const { link, gateways, seen, client } = open();
    await link.take(client(false), { topic: state, payload: online(), isRetained: true });
    assert.deepEqual([gateways.has(gatewayID), seen], [true, []]);
    await link.stop();
  });

  it('is counted when there are too many gateways, or its message is unused', async () => {
    const { link, counts, client } = open(1);
    const broker = client(false);
    await link.take(broker, { topic: state, payload: online(), isRetained: false });
    const other = '0a0b0c0d0e0f1012';
    const payload = online(v3, Uint8Array.fromHex(other));
    await link.take(broker, { topic: `gateway/${other}/state/conn`, payload, isRetained: false });
    await link.take(broker, { topic: `gateway/${gatewayID}/event/exec`, payload: id, isRetained: false });
    await link.take(broker, { topic: 'something/else', payload: id, isRetained: false });
    await link.take(broker, { topic: state, payload, isRetained: false });
    const { gateway_paths_full: full, ...rest } = counts;
    assert.equal(full, 1);
    assert.deepEqual(rest, {
      'gateway_messages_unused exec': 1,
      'gateway_messages_dropped topic': 1,
      'gateway_messages_dropped foreign-id': 1,
    });
    await link.stop();
  });
});
