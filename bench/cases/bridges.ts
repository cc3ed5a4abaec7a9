import { type BridgeFormat, bridgeGateway, type Rxpk, uplinksOf } from '@hilltop/gateway-protocols';
import { connectAsync, type MqttClient } from 'mqtt';
import type { Bench, Case, Row } from '../case.ts';
import { type BaseRecords, createBaseRecords, forEach, numbered } from '../driver/base-records.ts';
import { createABPFleet, receptionOf } from '../driver/fleet.ts';
import { pace, settled } from '../driver/pace.ts';
import { processorSeconds } from '../driver/process-use.ts';
import { type BenchServer, startServer } from '../driver/server.ts';
import { spreadOf } from '../driver/spread.ts';

const gatewayCount = 100;
const patienceMs = 1000;
const data = new Uint8Array(20).fill(0x5a);
const formats: BridgeFormat[] = [
  { version: 3, encoding: 'json' },
  { version: 4, encoding: 'protobuf' },
];

/** Uplinks of gateways that connect to the embedded broker by MQTT. Acknowledged means on disk. */
export const bridges: Case = async (bench) => {
  const rows: Row[] = [];
  const measured: Record<string, unknown> = {};
  for (const format of formats) {
    const name = `version ${format.version}, ${format.encoding}`;
    const { ours, figures } = await measure(bench, format);
    bench.say(`${name}: ${ours}`);
    rows.push({ work: `${gatewayCount} MQTT gateways, ${name}`, before: '-', target: '3,000 uplinks/s', ours });
    measured[name] = figures;
  }
  return { rows, measured };
};

async function measure(bench: Bench, format: BridgeFormat) {
  await using server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  const gatewayIDs = await moreGateways(server, ground);
  const fleet = await createABPFleet(server.client, ground, 1000);
  await using gateways = await connectGateways(server, gatewayIDs, ground.applicationID);
  const figures: Record<string, unknown> = {};
  let lastLine = 'none';
  for (const rate of bench.quick ? [1000, 3000] : [1000, 2000, 3000]) {
    const count = rate * (bench.quick ? 4 : 10);
    const made = Array.from({ length: count }, (_, index) => {
      const device = fleet.devices[index % fleet.devices.length]!;
      const gatewayID = gatewayIDs[index % gatewayIDs.length]!;
      return payloadOf(format, gatewayID, receptionOf(device.uplink({ fPort: 10, data }), index * 100));
    });
    const times: number[] = [];
    const pid = server.hilltop.pid();
    const before = processorSeconds(pid);
    await pace(rate, count, (index) => {
      const at = performance.now();
      const turn = index % gatewayIDs.length;
      const topic = `gateway/${gatewayIDs[turn]}/event/up`;
      const sent = gateways.clients[turn]!.publishAsync(topic, made[index]!, { qos: 1 });
      void sent.then(() => times.push(performance.now() - at));
    });
    await settled(count, () => times.length);
    const microseconds = Math.round(((processorSeconds(pid) - before) / count) * 1e6);
    const latency = spreadOf(times);
    figures[`at ${rate}`] = { sent: count, acknowledged: times.length, latency, microseconds };
    bench.say(`${rate}/s: ${times.length} of ${count}, p99 ${latency.p99} ms, ${microseconds} us each`);
    if (times.length < count || latency.p99 > patienceMs) break;
    lastLine = `${rate}/s, on disk after p50 ${latency.p50} / p99 ${latency.p99} ms, ${microseconds} us each`;
  }
  return { ours: lastLine, figures };
}

async function moreGateways({ client }: BenchServer, { gatewayIDs }: BaseRecords): Promise<string[]> {
  const { gateway } = await client.gateway.get({ id: gatewayIDs[0]! });
  const more = Array.from({ length: gatewayCount - gatewayIDs.length }, (_, index) => numbered('cc', index, 16));
  await forEach(more.length, async (index) => {
    const id = more[index]!;
    await client.gateway.create({ gateway: { ...gateway, id, name: `bridge-${id}` } });
  });
  return [...gatewayIDs, ...more];
}

async function connectGateways({ client }: BenchServer, gatewayIDs: readonly string[], applicationID: string) {
  const { addresses } = await client.mqtt.get({ applicationID });
  const { url = '' } = addresses.find(({ transport }) => transport === 'TCP') ?? {};
  const { jwtToken: password } = await client.internal.createAPIKey({ apiKey: { name: 'bench', isAdmin: true } });
  const clients: MqttClient[] = [];
  for (const username of gatewayIDs)
    clients.push(await connectAsync(url, { username, password, reconnectPeriod: 0, protocolVersion: 4 }));
  return {
    clients,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((one) => one.endAsync(true)));
    },
  };
}

function payloadOf(format: BridgeFormat, gatewayID: string, rxpk: Rxpk): Buffer {
  const packet = { type: 'PUSH_DATA', version: 2, token: 0, gatewayID, rxpk: [rxpk], stat: undefined } as const;
  return Buffer.from(bridgeGateway.uplink(format, uplinksOf(packet).frames[0]!));
}
