import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bench, Case, Outcome, Row } from '../case.ts';
import { type BaseRecords, createBaseRecords, forEach, numbered } from '../driver/base-records.ts';
import { createHTTPIntegration } from '../driver/delivery-field.ts';
import { createABPFleet, deviceOf, type Fleet } from '../driver/fleet.ts';
import { openGateways } from '../driver/gateways.ts';
import { loadHTTP } from '../driver/http-load.ts';
import { settled } from '../driver/pace.ts';
import { type BenchServer, startServer } from '../driver/server.ts';
import { type SoakRun, type SoakRunner, startSoakRunner } from '../driver/soak-run.ts';
import { measureUse, type SoakUse, watchEventLoop } from '../driver/soak-use.ts';

interface Variant {
  name: string;
  target: Record<'sqlite' | 'postgres', string>;
  copies: number;
  /** Whether devices have a JavaScript codec, and an HTTP integration receives every event. */
  isDecodedAndSent: boolean;
  /** Number of devices that send, and of all devices. */
  senders: number;
  devices: number;
}

const minutes = 10;
const quickSeconds = 30;
/** Share of the highest rate that the server sustains for some seconds. */
const share = 0.8;
/** With a higher latency than this, minus the deduplication window, the server no longer sustains the rate. */
const patienceMs = 1000;
const products = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

/** A sustainable rate for a long time: all results are compared with what the driver sent. */
export const soaks: Record<string, Case> = {
  'soak-plain': (bench) => soak(bench, { ...usual(bench), name: 'one copy', target: targets.plain }),
  'soak-busy': (bench) => {
    const name = '3 copies, JavaScript codec, HTTP integration';
    return soak(bench, { ...usual(bench), copies: 3, isDecodedAndSent: true, name, target: targets.busy });
  },
  'soak-many': (bench) => {
    const [senders, devices] = bench.quick ? [2000, 5000] : [10_000, 100_000];
    const name = `${senders} of ${devices} devices send`;
    return soak(bench, { ...usual(bench), senders, devices, name, target: targets.many });
  },
};

const targets = {
  plain: { sqlite: '8,000/s, +100 ms', postgres: '2,500/s, +100 ms' },
  busy: { sqlite: '4,000/s, +150 ms', postgres: '-' },
  many: { sqlite: '-', postgres: '-' },
};

function usual({ quick }: Bench) {
  const devices = quick ? 500 : 1000;
  return { copies: 1, isDecodedAndSent: false, senders: devices, devices };
}

async function soak(bench: Bench, variant: Variant): Promise<Outcome> {
  const measured = await measure(bench, variant);
  return { rows: rowsOf(bench, variant, measured), measured };
}

type Found = SoakRun & {
  seconds: number;
  use: SoakUse;
  rest: { p50: number; p99: number };
  /** Number of events that the endpoint did not receive. */
  undelivered: number;
  /** Number of devices whose statistics differ from the events. */
  miscounted: number;
};

async function measure(bench: Bench, variant: Variant): Promise<Found> {
  using loop = watchEventLoop();
  const nodeOptions = `${loop.settings.NODE_OPTIONS} ${bench.settings['NODE_OPTIONS'] ?? ''}`;
  const settings = { ...bench.settings, ...loop.settings, NODE_OPTIONS: nodeOptions.trim() };
  await using server = await startServer({
    ...bench,
    settings: { ...settings, HILLTOP_OUTGOING_ALLOW: '127.0.0.1' },
  });
  await using endpoint = await openEndpoint();
  const ground = await createBaseRecords(server.client);
  bench.say(`${variant.name}: provisioning ${variant.devices} devices`);
  const fleet = await provision(server, ground, variant, endpoint.url);
  using gateways = await openGateways(server.hilltop.udpPort, ground.gatewayIDs);
  using runner = await startSoakRunner({ server, fleet, gateways, copies: variant.copies });
  const from = new Date();

  await runner.run(200, 3);
  const perSecond = bench.rates?.[0] ?? Math.floor((await highestRate(bench, runner)) * share);
  const seconds = bench.minutes ? Math.round(bench.minutes * 60) : bench.quick ? quickSeconds : minutes * 60;
  bench.say(`${seconds} s at ${perSecond}/s`);
  if (variant.isDecodedAndSent) await settled(Number.POSITIVE_INFINITY, endpoint.events);
  const before = endpoint.events();
  const used = measureUse(server, loop);
  const [run, calls] = await Promise.all([
    runner.run(perSecond, seconds),
    loadHTTP({ ...besides(server, ground, fleet), seconds }),
  ]);
  const use = await used(run.sent);
  if (variant.isDecodedAndSent) await settled(run.sent, () => endpoint.events() - before, 30_000);
  const undelivered = variant.isDecodedAndSent ? run.sent - (endpoint.events() - before) : 0;
  const miscounted = await miscountedDevices(server, fleet, runner.seenOf, from);
  const { p50, p99 } = calls.time;
  const found = { ...run, seconds, use, rest: { p50, p99 }, undelivered, miscounted };
  bench.say(JSON.stringify(found));
  return found;
}

async function provision(server: BenchServer, ground: BaseRecords, variant: Variant, url: string): Promise<Fleet> {
  const { client } = server;
  if (variant.isDecodedAndSent) {
    const { deviceProfile } = await client.deviceProfile.get({ id: ground.profiles.personalized });
    await client.deviceProfile.update({
      deviceProfile: { ...deviceProfile, payloadCodec: 'CUSTOM_JS', payloadDecoderScript: decoder },
    });
    await createHTTPIntegration(server, ground.applicationID, url);
  }
  const fleet = await createABPFleet(client, ground, variant.senders);
  await forEach(variant.devices - variant.senders, async (index) => {
    await client.device.create({ device: deviceOf(numbered('5a', index, 16), ground, ground.profiles.joining) });
  });
  return fleet;
}

const decoder = `function Decode(fPort, bytes) {
  return { temperature: ((bytes[0] << 8) | bytes[1]) / 100, humidity: bytes[2] / 2, battery: bytes[3], port: fPort };
}`;

/** Finds the highest rate that the server sustains for some seconds, in steps of 25 %. */
async function highestRate({ quick, say }: Bench, runner: SoakRunner): Promise<number> {
  const seconds = quick ? 4 : 10;
  let best = 0;
  for (let rate = 1000; ; rate = Math.round(rate * 1.25)) {
    const { sent, watched, delivered, lost, latency } = await runner.run(rate, seconds);
    say(`${rate}/s: ${sent} sent, ${delivered} of ${watched} seen, ${lost} lost, p99 +${latency.p99} ms`);
    if (delivered < watched || latency.p99 > patienceMs) return best || rate / 2;
    best = rate;
  }
}

/** API load during the soak: two clients read a device and the first page of the list, 20 times a second. */
function besides({ hilltop, token }: BenchServer, { applicationID }: BaseRecords, { devEUIs }: Fleet) {
  const list = `/api/devices?applicationID=${applicationID}&limit=10`;
  const pathOf = (turn: number) => (turn % 2 === 0 ? `/api/devices/${devEUIs[turn % devEUIs.length]}` : list);
  const callsOf = (turn: number) => [{ method: 'GET', path: pathOf(turn) }];
  return { url: hilltop.url, token, connections: 2, restMs: 100, callsOf };
}

/** Number of watched devices whose statistics differ from the events since `from`. */
async function miscountedDevices({ client }: BenchServer, fleet: Fleet, seenOf: Uint32Array, from: Date) {
  let wrong = 0;
  const period = { startTimestamp: from.toISOString(), endTimestamp: new Date().toISOString(), interval: 'HOUR' };
  await forEach(seenOf.length, async (index) => {
    const { result } = await client.device.getStats({ devEUI: fleet.devEUIs[index]!, ...period });
    const counted = result.reduce((sum, { rxPackets }) => sum + rxPackets, 0);
    if (counted !== seenOf[index]) wrong += 1;
  });
  return wrong;
}

/** A sink that only counts events: recording each would cost more than sending it. */
async function openEndpoint() {
  let events = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      events += 1;
      response.end();
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    events: () => events,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function rowsOf({ database = 'sqlite' }: Bench, variant: Variant, found: Found): Row[] {
  const { perSecond, seconds, sent, acknowledged, latency, lost, duplicates, undelivered, miscounted, use } = found;
  const work = `soak, ${seconds} s, ${products[database]}, ${variant.name}`;
  const { server, driver, postgres } = use.processor;
  const delivered = variant.isDecodedAndSent ? `, ${undelivered} not at the endpoint` : '';
  return [
    {
      work,
      before: '-',
      target: variant.target[database],
      ours:
        `${perSecond}/s: p50 +${latency.p50} / p99 +${latency.p99} ms, ${lost} lost, ${duplicates} twice, ` +
        `${sent - acknowledged} of ${sent} not acknowledged${delivered}, statistics of ${miscounted} devices wrong`,
      isBroken: lost > 0 || duplicates > 0 || miscounted > 0,
    },
    {
      work: `${work}: processor time per uplink`,
      before: '-',
      target: '-',
      ours: `server ${server}, driver ${driver}${postgres === undefined ? '' : `, PostgreSQL ${postgres}`} µs`,
    },
    {
      work: `${work}: event loop p99 / p99.9, REST p99`,
      before: '-',
      target: '- / 20 ms, 50 ms',
      ours: `${use.loop.p99.toFixed(1)} / ${use.loop.p999.toFixed(1)} ms, ${found.rest.p99} ms`,
    },
    {
      work: `${work}: memory most / end, database, WAL, statistics`,
      before: '-',
      target: '300 MB',
      ours:
        `${use.memoryMB.most} / ${use.memoryMB.end} MB, ${use.databaseMB} MB, ${use.walMB} MB, ` +
        `${use.statisticsWaiting} waiting`,
    },
  ];
}
