import { setTimeout as delay } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import type { Bench, Case, Row } from '../case.ts';
import { type BaseRecords, createBaseRecords, forEach, numbered } from '../driver/base-records.ts';
import { createABPFleet, type Fleet } from '../driver/fleet.ts';
import { distributeOverApplications } from '../driver/many-applications.ts';
import { type MqttClients, openMqttClients } from '../driver/mqtt-clients.ts';
import { pace, settled } from '../driver/pace.ts';
import { processorSeconds, residentMB } from '../driver/process-use.ts';
import { deduplicationWindowMs, sentUplinks } from '../driver/sent-uplinks.ts';
import { type BenchServer, startServer } from '../driver/server.ts';
import { type Spread, spreadOf } from '../driver/spread.ts';

/** With a higher latency than this, minus the deduplication window, the broker no longer sustains the rate. */
const patienceMs = 1000;

/** Events to MQTT clients, and commands from them, through the embedded broker. */
export const mqtt: Case = async (bench) => {
  const rows: Row[] = [];
  const measured: Record<string, unknown> = {};
  for (const part of [oneSubscriber, manyApplications, frozenSubscriber, commands]) {
    const { row, figures } = await part(bench);
    bench.say(`${row.work}: ${row.ours}`);
    rows.push(row);
    measured[part.name] = figures;
  }
  return { rows, measured };
};

interface Field extends AsyncDisposable {
  server: BenchServer;
  ground: BaseRecords;
  fleet: Fleet;
  programs: MqttClients;
  /** Sends uplinks of all devices round-robin. Resolves with the times at which the events arrived. */
  run: (perSecond: number, seconds: number, subscribers: number) => Promise<RunResult>;
  /** Call it with each message. */
  onMessage: (topic: string, payload: Buffer) => void;
}

interface RunResult {
  sent: number;
  received: number;
  latency: Spread;
}

async function openField(bench: Bench, devices: number): Promise<Field> {
  const server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  const fleet = await createABPFleet(server.client, ground, devices);
  return fieldOf(server, ground, fleet);
}

async function fieldOf(server: BenchServer, ground: BaseRecords, fleet: Fleet): Promise<Field> {
  const uplinks = await sentUplinks(server, ground, fleet);
  const programs = await openMqttClients(server);
  let times: number[] = [];
  return {
    server,
    ground,
    fleet,
    programs,
    onMessage: (topic, payload) => {
      const at = performance.now();
      const fCnt = /"fCnt":(\d+)/.exec(payload.toString('latin1'))?.[1];
      const sent = uplinks.at.get(`${topic.split('/')[3]} ${fCnt}`);
      if (sent !== undefined) times.push(at - sent - deduplicationWindowMs);
    },
    run: async (perSecond, seconds, subscribers) => {
      const count = perSecond * seconds;
      times = [];
      uplinks.at.clear();
      await uplinks.send(perSecond, seconds);
      await settled(count * subscribers, () => times.length);
      return { sent: count * subscribers, received: times.length, latency: spreadOf(times) };
    },
    [Symbol.asyncDispose]: async () => {
      await programs[Symbol.asyncDispose]();
      uplinks[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function listen(field: Field, applicationID: string, qos: 0 | 1): Promise<MqttClient> {
  const one = await field.programs.open(applicationID);
  one.on('message', field.onMessage);
  await one.subscribeAsync(`application/${applicationID}/device/+/event/up`, { qos });
  return one;
}

const isSustained = ({ sent, received, latency }: RunResult) => received === sent && latency.p99 < patienceMs;
const plus = ({ p50, p99 }: Spread) => `+${p50} / +${p99} ms`;

async function oneSubscriber(bench: Bench) {
  const figures: Record<string, unknown> = {};
  const lines: string[] = [];
  for (const qos of [0, 1] as const) {
    await using field = await openField(bench, bench.quick ? 500 : 1000);
    await microseconds(field, 0);
    const alone = await microseconds(field, 0);
    await listen(field, field.ground.applicationID, qos);
    const more = (await microseconds(field, 1)) - alone;
    const slow = await field.run(200, bench.quick ? 4 : 10, 1);
    let best = 0;
    for (const rate of bench.quick ? [1000, 2000, 4000] : [1000, 2000, 3000, 4000, 5000]) {
      const result = await field.run(rate, bench.quick ? 4 : 10, 1);
      bench.say(`QoS ${qos}, ${rate}/s: ${result.received} of ${result.sent}, ${plus(result.latency)}`);
      figures[`qos ${qos} at ${rate}`] = result;
      if (!isSustained(result)) break;
      best = rate;
    }
    figures[`qos ${qos} processor`] = { alone, more };
    lines.push(`QoS ${qos} ${best}/s, at 200/s ${plus(slow.latency)}, ${more} of ${alone + more} us an event`);
  }
  const target = '5,000/s; +5 / +25 ms at 200/s';
  return { row: { work: 'uplinks to an MQTT subscriber', before: '400/s', target, ours: lines.join('; ') }, figures };
}

/** Processor time of the server per uplink. */
async function microseconds(field: Field, subscribers: number): Promise<number> {
  const pid = field.server.hilltop.pid();
  const before = processorSeconds(pid);
  await field.run(1000, 4, subscribers);
  await delay(1000);
  return Math.round(((processorSeconds(pid) - before) / 4000) * 1e6);
}

async function manyApplications(bench: Bench) {
  const count = bench.quick ? 200 : 1000;
  const server = await startServer(bench);
  const { client } = server;
  const ground = await createBaseRecords(client);
  const fleet = await createABPFleet(client, ground, count);
  const applicationIDs = await distributeOverApplications(client, ground, fleet, count);
  await using field = await fieldOf(server, ground, fleet);
  await field.run(count, 2, 0);
  const before = residentMB(server.hilltop.pid());
  await forEach(count, (index) => listen(field, applicationIDs[index]!, 0));
  const result = await field.run(count * 2, bench.quick ? 4 : 10, 1);
  const grown = residentMB(server.hilltop.pid()) - before;
  const ours = `${result.received} of ${result.sent} at ${count * 2}/s, p99 ${result.latency.p99} ms, +${grown} MB`;
  const work = `${count} MQTT subscribers, one application each, 2 events/s each`;
  return { row: { work, before: '-', target: '2,000/s, p99 50 ms, +60 MB', ours }, figures: { result, grown } };
}

async function frozenSubscriber(bench: Bench) {
  await using field = await openField(bench, bench.quick ? 500 : 1000);
  const { applicationID } = field.ground;
  const rate = bench.quick ? 300 : 1000;
  const listeners = 19;
  for (let one = 0; one < listeners; one += 1) await listen(field, applicationID, 0);
  const alone = await field.run(rate, 5, listeners);
  const pid = field.server.hilltop.pid();
  const before = residentMB(pid);
  const frozen = await field.programs.open(applicationID);
  await frozen.subscribeAsync(`application/${applicationID}/#`, { qos: 0 });
  frozen.stream.pause();
  const beside = await field.run(rate, bench.quick ? 5 : 20, listeners);
  const more = Math.round((beside.latency.p99 - alone.latency.p99) * 10) / 10;
  const grown = residentMB(pid) - before;
  const ours = `${beside.received} of ${beside.sent} received, p99 +${more} ms, +${grown} MB`;
  const work = `one frozen MQTT subscriber among 20 at ${rate}/s`;
  return { row: { work, before: '-', target: 'p99 +5 ms, +1 MB', ours }, figures: { alone, beside, grown } };
}

async function commands(bench: Bench) {
  const devices = bench.quick ? 500 : 1000;
  await using field = await openField(bench, devices);
  const { applicationID } = field.ground;
  const clients = await Promise.all(Array.from({ length: 20 }, () => field.programs.open(applicationID)));
  const [rate, seconds] = [500, bench.quick ? 4 : 10];
  const times: number[] = [];
  await pace(rate, rate * seconds, (index) => {
    const at = performance.now();
    const topic = `application/${applicationID}/device/${numbered('ab', index % devices, 16)}/command/down`;
    const payload = JSON.stringify({ fPort: 1, data: Buffer.from([index & 255, index >> 8]).toString('base64') });
    const sent = clients[index % clients.length]!.publishAsync(topic, payload, { qos: 1 });
    void sent.then(() => times.push(performance.now() - at));
  });
  await settled(rate * seconds, () => times.length);
  const latency = spreadOf(times);
  const ours = `${times.length} of ${rate * seconds} at ${rate}/s, p50 ${latency.p50} / p99 ${latency.p99} ms`;
  return {
    row: { work: 'MQTT commands enqueued, durable', before: '-', target: '500/s, p99 50 ms', ours },
    figures: latency,
  };
}
