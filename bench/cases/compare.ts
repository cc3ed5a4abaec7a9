import type { Bench, Case, Row } from '../case.ts';
import { createBaseRecords, gatewayIDsOf } from '../driver/base-records.ts';
import { createComparedRecords } from '../driver/compared-server.ts';
import { createABPFleet, type Fleet } from '../driver/fleet.ts';
import { readFleet } from '../driver/fleet-file.ts';
import { openGateways } from '../driver/gateways.ts';
import { openMqttEvents } from '../driver/mqtt-events.ts';
import { postgresSeconds } from '../driver/postgres.ts';
import { type MeasuredProcess, ownProcess, treeSeconds } from '../driver/process-use.ts';
import { deduplicationWindowMs } from '../driver/sent-uplinks.ts';
import { startServer } from '../driver/server.ts';
import { type UplinkResult, type UplinkRunner, uplinkRunner } from '../driver/uplink-run.ts';
import { type ComparedServer, isServerNamed } from '../options.ts';

const devices = 1000;
const ladder = [200, 400, 800, 1600, 2400, 3200, 4000, 5000, 6400];
const usualSeconds = 20;
/** With a higher latency than this, minus the deduplication window, the server no longer sustains the rate. */
const patienceMs = 1000;
const warmUp = { perSecond: 200, seconds: 3, patienceMs: 10_000 };

/** A server with a registered fleet. */
interface ComparedField extends AsyncDisposable {
  name: string;
  target: string;
  fleet: Fleet;
  gatewayIDs: readonly string[];
  udp: { host: string; port: number };
  mqtt: string;
  processes: MeasuredProcess[];
}

/**
 * Uplinks from the datagram to the event at an MQTT subscriber: 1,000 ABP devices, 20 gateways, one copy. Measures the
 * server whose addresses the command line names, or Hilltop.
 */
export const compare: Case = async (bench) => {
  await using field = await openField(bench);
  const { fleet, udp, gatewayIDs, mqtt } = field;
  const processes = [...field.processes, ...bench.compared.processes.map(measuredTree), ownProcess];
  using gateways = await openGateways(udp.port, gatewayIDs, udp.host);
  using runner = uplinkRunner({ fleet, gateways, events: await openMqttEvents(mqtt, fleet.devEUIs), processes });
  await begin(runner, field);

  const seconds = bench.seconds ?? (bench.quick ? 4 : usualSeconds);
  const results: UplinkResult[] = [];
  for (const perSecond of bench.rates ?? ladder) {
    const result = await runner.run(perSecond, seconds);
    bench.say(lineOf(result));
    results.push(result);
    if (!bench.rates && !isSustained(result)) break;
  }
  if (bench.compared.fleet !== undefined)
    bench.say(`The next run with this file: --first-fcnt ${Math.max(...fleet.devices.map(nextFCnt))}`);
  return { rows: rowsOf(field, results), measured: results };
};

async function openField(bench: Bench): Promise<ComparedField> {
  const { compared } = bench;
  if (!isServerNamed(compared)) return startField(bench);
  const { api, token, fleet: file, firstFCnt, udp, mqtt } = compared as Required<ComparedServer>;
  bench.say(file === undefined ? `registering ${devices} devices at ${api}` : `reading the devices of ${file}`);
  const records =
    file === undefined
      ? await createComparedRecords(api!, token!, devices)
      : { fleet: readFleet(file, firstFCnt), gatewayIDs: gatewayIDsOf(), [Symbol.asyncDispose]: async () => {} };
  const named = { name: api ?? `${udp!.host}:${udp!.port}`, target: '-' };
  return { ...records, ...named, udp: udp!, mqtt: mqtt!, processes: [] };
}

/** Starts Hilltop with its embedded MQTT broker. */
async function startField(bench: Bench): Promise<ComparedField> {
  await using begun = new AsyncDisposableStack();
  const { client, hilltop, postgres } = begun.use(await startServer(bench));
  bench.say(`registering ${devices} devices`);
  const ground = await createBaseRecords(client);
  const fleet = await createABPFleet(client, ground, devices);
  const { addresses } = await client.mqtt.get({ applicationID: ground.applicationID });
  const url = new URL(addresses.find(({ transport }) => transport === 'TCP')!.url);
  const { jwtToken } = await client.internal.createAPIKey({ apiKey: { name: 'bench', isAdmin: true } });
  [url.username, url.password] = ['bench', jwtToken];
  const processes = [{ name: 'server', seconds: () => treeSeconds(hilltop.pid()) }];
  if (postgres) processes.push({ name: 'PostgreSQL', seconds: () => postgresSeconds(postgres) });
  const all = begun.move();
  return {
    name: postgres ? 'Hilltop on PostgreSQL' : 'Hilltop on SQLite',
    target: postgres ? '2,500/s, +100 ms' : '4,000/s, +100 ms',
    fleet,
    gatewayIDs: ground.gatewayIDs,
    udp: { host: hilltop.host, port: hilltop.udpPort },
    mqtt: url.href,
    processes,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const measuredTree = ({ name, pid }: { name: string; pid: number }) => ({ name, seconds: () => treeSeconds(pid) });
const nextFCnt = ({ session }: Fleet['devices'][number]) => session!.fCntUp;

/** Sends uplinks for some seconds that are not counted. Rejects with what is missing when no event arrives. */
async function begin(runner: UplinkRunner, { udp, mqtt, gatewayIDs }: ComparedField): Promise<void> {
  const { sent, acknowledged, delivered } = await runner.run(warmUp.perSecond, warmUp.seconds, warmUp.patienceMs);
  if (delivered > 0) return;
  if (acknowledged === 0) throw new Error(`No PUSH_ACK from ${udp.host}:${udp.port} for ${sent} uplinks: check --udp.`);
  throw new Error(
    `${acknowledged} of ${sent} uplinks were acknowledged, and no event arrived at ${new URL(mqtt).host} within 10 s. ` +
      'Check that the server publishes to this broker, as JSON to application/ID/device/DevEUI/event/up; that the ' +
      'devices are activated with these keys and have received no higher frame counter (--first-fcnt); and that the ' +
      `gateways ${gatewayIDs[0]} to ${gatewayIDs.at(-1)} are registered.`,
  );
}

function isSustained({ sent, delivered, duplicates, latency }: UplinkResult): boolean {
  return delivered === sent && duplicates === 0 && latency.p99 < deduplicationWindowMs + patienceMs;
}

const over = (ms: number) => `+${Math.round((ms - deduplicationWindowMs) * 10) / 10}`;
const timesOf = ({ latency }: UplinkResult) => `p50 ${over(latency.p50)} / p99 ${over(latency.p99)} ms`;

function eachOf({ each }: UplinkResult): string {
  const all = Object.values(each).reduce((sum, one) => sum + one, 0);
  return `${Object.entries(each)
    .map(([name, spent]) => `${name} ${spent}`)
    .join(', ')}, together ${all} µs each`;
}

function lineOf(result: UplinkResult): string {
  const { perSecond, sent, acknowledged, delivered, lost, duplicates } = result;
  return (
    `${perSecond}/s: ${sent} sent, ${acknowledged} acknowledged, ${delivered} delivered, ${lost} lost, ` +
    `${duplicates} twice; ${timesOf(result)}; ${eachOf(result)}`
  );
}

function rowsOf({ name, target }: ComparedField, results: readonly UplinkResult[]): Row[] {
  const best = results.findLast(isSustained);
  const work = `${name}: uplinks to the MQTT event, ${devices} devices, one copy`;
  const lost = results.reduce((sum, result) => sum + result.lost, 0);
  return [
    {
      work,
      before: '400/s',
      target,
      ours: best ? `${best.perSecond}/s, ${timesOf(best)}; ${eachOf(best)}` : 'none',
    },
    {
      work: `${name}: acknowledged and lost at any rate`,
      before: '-',
      target: '0',
      ours: String(lost),
      isBroken: lost > 0,
    },
  ];
}
