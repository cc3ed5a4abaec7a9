import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, Case, Row } from '../case.ts';
import { type BaseRecords, createBaseRecords, numbered } from '../driver/base-records.ts';
import { deviceOf, rootKey } from '../driver/fleet.ts';
import type { Call } from '../driver/http-load.ts';
import { type MeasuredLoad, measureLoad, rateOf } from '../driver/measured-load.ts';
import { processorSeconds, residentMB } from '../driver/process-use.ts';
import { type BenchServer, startServer } from '../driver/server.ts';
import { timeOfStarts } from '../driver/starts.ts';

/** The server releases memory after ten idle seconds. */
const restMs = 15_000;
const idleMs = 60_000;

/** Targets per second, by database (`--database`). */
const targets = {
  sqlite: { list: '12,000/s, p99 10 ms', get: '16,000/s', create: '3,000/s' },
  postgres: { list: '4,000/s', get: '6,000/s', create: '1,000/s' },
};

/** Calls of the API with many devices in one application. Creating the devices is the first measurement. */
export const rest: Case = async (bench) => {
  const { quick, say, database = 'sqlite' } = bench;
  await using server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  const devices = quick ? 10_000 : 100_000;
  say(`creating ${devices} devices with keys`);
  const measured: Record<string, unknown> = { devices };
  const load = async (name: string, callsOf: (turn: number) => Call[], turns?: number): Promise<MeasuredLoad> => {
    const end = turns === undefined ? { seconds: quick ? 3 : 8 } : { turns };
    const result = await measureLoad(server, { callsOf, ...end });
    say(`${name}: ${rateOf(result)}, p50 ${result.time.p50} ms, ${result.failures} failures`);
    if (result.failures > 0)
      throw new Error(`${result.failures} calls of ${name} failed. The first: ${result.firstFailure}`);
    measured[name] = result;
    return result;
  };

  const create = await load('create with keys', (turn) => creation(ground, turn), devices);
  const one = (turn: number) => numbered('0c', (turn * 7919) % devices, 16);
  const list = `/api/devices?applicationID=${ground.applicationID}`;
  await load('warm-up', (turn) => [get(`/api/devices/${one(turn)}`)], 2000);
  const got = await load('get', (turn) => [get(`/api/devices/${one(turn)}`)]);
  const list10 = await load('list of 10', () => [get(`${list}&limit=10`)]);
  const list500 = await load('list of 500', () => [get(`${list}&limit=500`)]);
  const far = await load('list from far', () => [get(`${list}&limit=10&offset=${Math.floor(devices * 0.9)}`)]);
  const search = await load('search', (turn) => [get(`${list}&limit=10&search=device-${one(turn).slice(0, 15)}`)]);
  const { rows, more } = await standing(bench, server);
  const among = `among ${devices.toLocaleString('en')}`;
  return {
    rows: [
      {
        work: `device list of 10 ${among}`,
        before: '10.6/s, p50 1.35 s',
        target: targets[database].list,
        ours: rateOf(list10),
      },
      { work: 'get a device', before: '873/s', target: targets[database].get, ours: rateOf(got) },
      {
        work: 'create a device with keys, durable',
        before: '183/s',
        target: targets[database].create,
        ours: rateOf(create),
      },
      { work: `device list of 500 ${among}`, before: '10.2/s', target: '-', ours: rateOf(list500) },
      { work: 'device list of 10 at 90 %', before: '6/s', target: '-', ours: rateOf(far) },
      { work: 'device search', before: '323/s', target: '-', ours: rateOf(search) },
      ...rows,
    ],
    measured: { ...measured, ...more },
  };
};

/** Start time, memory and idle load of a server with all these devices. */
async function standing({ quick }: Bench, { hilltop }: BenchServer): Promise<{ rows: Row[]; more: object }> {
  const busy = residentMB(hilltop.pid());
  await delay(restMs);
  const rested = residentMB(hilltop.pid());
  const starts = await timeOfStarts(hilltop, quick ? 2 : 3);
  await delay(restMs);
  const memory = residentMB(hilltop.pid());
  const usedBefore = processorSeconds(hilltop.pid());
  await delay(idleMs);
  const idle = ((processorSeconds(hilltop.pid()) - usedBefore) / idleMs) * 100_000;
  return {
    rows: [
      {
        work: 'start to listening with those devices',
        before: '2.3 s',
        target: '1 s',
        ours: `${(starts.p50 / 1000).toFixed(2)} s`,
      },
      {
        work: 'memory with those devices: started / 15 s after the load above / at its end',
        before: '110 MB + PostgreSQL + Redis',
        target: '250 MB',
        ours: `${memory} / ${rested} / ${busy} MB`,
      },
      {
        work: 'scheduler idle with those devices: processor of the whole process, nothing to do',
        before: '-',
        target: '0.5 % of a core for due work',
        ours: `${idle.toFixed(2)} %`,
      },
    ],
    more: { idle, starts, memory: { started: memory, afterLoad: rested, atItsEnd: busy } },
  };
}

function creation(ground: BaseRecords, turn: number): Call[] {
  const devEUI = numbered('0c', turn, 16);
  const device = deviceOf(devEUI, ground, ground.profiles.joining);
  return [
    { method: 'POST', path: '/api/devices', body: { device } },
    { method: 'POST', path: `/api/devices/${devEUI}/keys`, body: { deviceKeys: { nwkKey: rootKey(turn) } } },
  ];
}

function get(path: string): Call {
  return { method: 'GET', path };
}
