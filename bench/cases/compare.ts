import { existsSync } from 'node:fs';
import type { Client } from '@hilltop/contract/client';
import type { Bench, Case, Row } from '../case.ts';
import { createBaseRecords, gatewayIDsOf } from '../driver/base-records.ts';
import { createComparedRecords } from '../driver/compared-server.ts';
import { createABPFleet, type Fleet } from '../driver/fleet.ts';
import { readFleet } from '../driver/fleet-file.ts';
import { openGateways } from '../driver/gateways.ts';
import { processesOf } from '../driver/measured-processes.ts';
import { openMqttEvents } from '../driver/mqtt-events.ts';
import type { MeasuredProcesses } from '../driver/process-use.ts';
import { type BenchServer, startServer } from '../driver/server.ts';
import { isSustained, rateOf, runLadder } from '../driver/uplink-ladder.ts';
import { type UplinkResult, type UplinkRunner, uplinkRunner } from '../driver/uplink-run.ts';

const devicesOf = ({ quick }: Bench) => (quick ? 100 : 1000);
const rates = [200, 400, 800, 1600, 2400, 3200, 4000, 5000, 6400];
const seconds = 20;
const warmUp = { perSecond: 200, seconds: 3 };

/** A server with a registered fleet. */
interface ComparedField extends AsyncDisposable {
  name: string;
  target: string;
  fleet: Fleet;
  gatewayIDs: readonly string[];
  udp: { host: string; port: number };
  mqtt: string;
  /** The processes that `compare` has started. */
  pids: readonly number[];
  postgres?: BenchServer['postgres'];
}

/**
 * Uplinks from the datagram to the event at an MQTT subscriber: 1,000 ABP devices, 20 gateways, one copy. Measures the
 * server whose addresses the command line names, or Hilltop.
 */
export const compare: Case = async (bench) => {
  const named = bench.processes.map(measured);
  await using field = await openField(bench);
  const { fleet, udp, gatewayIDs, mqtt, pids, postgres } = field;
  const processes = [...named, ...processesOf(pids, postgres)];
  using gateways = await openGateways(udp.port, gatewayIDs, udp.host);
  using runner = uplinkRunner({ fleet, gateways, events: await openMqttEvents(mqtt, fleet.devEUIs), processes });
  await begin(runner, field);

  const results = await runLadder(bench, runner, { rates, seconds });
  if (bench.compared && 'fleet' in bench.compared.registration)
    bench.say(`The next run with this file: --first-fcnt ${Math.max(...fleet.devices.map(nextFCnt))}`);
  return { rows: rowsOf(field, results), measured: results };
};

async function openField(bench: Bench): Promise<ComparedField> {
  const { compared } = bench;
  if (!compared) return startField(bench);
  const { registration, udp, mqtt } = compared;
  const devices = devicesOf(bench);
  const common = { target: '-', udp, mqtt, pids: [] };
  if ('fleet' in registration) {
    const { fleet: file, firstFCnt } = registration;
    const registered = { fleet: readFleet(file, firstFCnt), gatewayIDs: gatewayIDsOf() };
    return { ...common, ...registered, name: `${udp.host}:${udp.port}`, [Symbol.asyncDispose]: async () => {} };
  }
  const { api, token } = registration;
  bench.say(`registering ${devices} devices at ${api}`);
  return { ...common, ...(await createComparedRecords(api, token, devices)), name: api };
}

/** Starts Hilltop, with its embedded MQTT broker if the command line names none. */
async function startField(bench: Bench): Promise<ComparedField> {
  await using begun = new AsyncDisposableStack();
  const { broker } = bench;
  const settings = broker === undefined ? {} : { HILLTOP_MQTT_URL: broker };
  const server = begun.use(await startServer({ ...bench, settings: { ...bench.settings, ...settings } }));
  const { client, hilltop, postgres } = server;
  const devices = devicesOf(bench);
  bench.say(`registering ${devices} devices`);
  const ground = await createBaseRecords(client);
  const fleet = await createABPFleet(client, ground, devices);
  const mqtt = broker ?? (await embeddedBroker(client, ground.applicationID));
  const all = begun.move();
  return {
    name: postgres ? 'Hilltop on PostgreSQL' : 'Hilltop on SQLite',
    target: postgres ? '2,500/s, +100 ms' : '4,000/s, +100 ms',
    fleet,
    gatewayIDs: ground.gatewayIDs,
    udp: { host: hilltop.host, port: hilltop.udpPort },
    mqtt,
    pids: [hilltop.pid()],
    postgres,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** The address of Hilltop's own broker, with a key for all events. */
export async function embeddedBroker(client: Client, applicationID: string): Promise<string> {
  const { addresses } = await client.mqtt.get({ applicationID });
  const url = new URL(addresses.find(({ transport }) => transport === 'TCP')!.url);
  const { jwtToken } = await client.internal.createAPIKey({ apiKey: { name: 'bench', isAdmin: true } });
  [url.username, url.password] = ['bench', jwtToken];
  return url.href;
}

function measured({ name, pid }: Bench['processes'][number]): MeasuredProcesses {
  if (!existsSync(`/proc/${pid}`)) throw new Error(`--pid ${name}=${pid}: there is no such process.`);
  return { name, roots: [pid] };
}

const nextFCnt = ({ session }: Fleet['devices'][number]) => session!.fCntUp;

/** Sends uplinks for some seconds that are not counted. Rejects with what is missing when no event arrives. */
async function begin(runner: UplinkRunner, field: ComparedField): Promise<void> {
  const result = await runner.run(warmUp.perSecond, warmUp.seconds);
  if (result.delivered === 0) throw new Error(whatIsMissing(result, field));
}

/** Why no event of these uplinks may have arrived, and what to check. */
export function whatIsMissing(
  { sent, acknowledged }: Pick<UplinkResult, 'sent' | 'acknowledged'>,
  { udp, mqtt, gatewayIDs }: Pick<ComparedField, 'udp' | 'mqtt' | 'gatewayIDs'>,
): string {
  if (acknowledged === 0) return `No PUSH_ACK from ${udp.host}:${udp.port} for ${sent} uplinks: check --udp.`;
  return (
    `${acknowledged} of ${sent} uplinks were acknowledged, and no event arrived at ${new URL(mqtt).host} within 10 s. ` +
    'Check that the server publishes to this broker, as JSON to application/ID/device/DevEUI/event/up; that the ' +
    'devices are activated with these keys and have sent no higher frame counter (--first-fcnt); and that the ' +
    `gateways ${gatewayIDs[0]} to ${gatewayIDs.at(-1)} are registered.`
  );
}

function rowsOf({ name, target, fleet }: ComparedField, results: readonly UplinkResult[]): Row[] {
  const best = results.findLast(isSustained);
  const work = `${name}: uplinks to the MQTT event, ${fleet.devices.length.toLocaleString('en')} devices, one copy`;
  const lost = results.reduce((sum, result) => sum + result.lost, 0);
  return [
    {
      work,
      before: '400/s',
      target,
      ours: best ? rateOf(best) : 'none',
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
