import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { pace } from '../driver/pace.ts';
import { residentMB } from '../driver/process-use.ts';
import { openField } from './field.ts';
import { droppedDatagrams, folderMB, sumOfCounters } from './figures.ts';
import { type Flood, type FloodName, floods, silentDevice } from './floods.ts';
import type { Verdict } from './ledger.ts';
import { type RunOptions, startTraffic } from './traffic.ts';

export interface FloodResult extends Verdict {
  flooded: number;
  /** Flood datagrams that the server neither acknowledged nor counted. */
  uncounted: number;
  /** Events about a transmission that no gateway reported. */
  believed: number;
  /** Stored events of a silent device that the flood displaced. */
  displaced: number;
  memoryMB: number;
  databaseMB: number;
}

interface Options extends RunOptions {
  /** The share of the flood to send, 0 to 1. */
  share?: number;
  restMs: number;
}

/** Metrics that count dropped datagrams. */
const counters = /^hilltop_(gateway_datagrams_\w+|gateway_acks_\w+)$/;
const elsewhere = (nth: number) => `127.0.0.${nth + 2}`;
/** Packet types PUSH_ACK and PULL_ACK. */
const acks: readonly (number | undefined)[] = [1, 4];
const longestLookMs = 30_000;
const quietEvents = 5;

/** Floods the server from another address while the devices continue to send. */
export async function runFlood(name: FloodName, options: Options): Promise<FloodResult> {
  const { share = 1 } = options;
  const flood: Flood = floods[name];
  const settings = { HILLTOP_EVENT_HISTORY: '10', ...options.settings };
  await using field = await openField({ ...options, settings, lostAcks: 1 });
  const { hilltop, ledger, network, devices } = field;
  const silent = silentDevice(field);
  for (let index = 0; index < quietEvents; index += 1) await network.send(silent, { fPort: 1, data: Uint8Array.of(7) });
  await field.watch();
  using traffic = startTraffic({ ...field, devices: devices.slice(1) }, options.perSecond, options.habits);
  await delay(options.restMs);

  const [memoryBefore, databaseBefore] = [residentMB(hilltop.pid()), folderMB(hilltop.data)];
  const countedBefore = await sumOfCounters(hilltop.url, counters);
  let answered = 0;
  await using sockets = await openSockets(flood, (type) => (answered += acks.includes(type) ? 1 : 0));
  const { all } = sockets;
  const total = Math.round(flood.total * share);
  ledger.countLateness();
  await pace(flood.perSecond, total, (index) =>
    all[index % all.length]!.send(flood.datagram(field, index), hilltop.udpPort, '127.0.0.1'),
  );
  await delay(options.restMs);
  await traffic.end();
  await field.settle(options.patienceMs);
  const unheard = () => all.reduce((sum, socket) => sum + droppedDatagrams(socket.address().port), 0);
  const uncounted = async () =>
    total - answered - unheard() - ((await sumOfCounters(hilltop.url, counters)) - countedBefore);
  // The server reads the drop counter of the kernel at intervals.
  const until = performance.now() + longestLookMs;
  while ((await uncounted()) > 0 && performance.now() < until) await delay(250);
  const verdict = ledger.verdict();
  return {
    ...verdict,
    flooded: total,
    uncounted: Math.max(0, await uncounted()),
    believed: verdict.events['txack'] ?? 0,
    displaced: Math.max(0, quietEvents - (await field.keptUplinks(silent))),
    memoryMB: residentMB(hilltop.pid()) - memoryBefore,
    databaseMB: folderMB(hilltop.data) - databaseBefore,
  };
}

/** Opens one socket at each of `count` loopback addresses. */
async function openSockets({ addresses = 1, fromGateways }: Flood, onAnswer: (type: number | undefined) => void) {
  const addressOf = (nth: number) => (fromGateways ? '127.0.0.1' : elsewhere(nth));
  const all = Array.from({ length: addresses }, (_, nth) => createSocket('udp4').bind(0, addressOf(nth)));
  await Promise.all(all.map((socket) => once(socket, 'listening')));
  for (const socket of all) {
    socket.on('message', (bytes) => onAnswer(bytes[3]));
    socket.on('error', () => {});
  }
  return {
    all,
    [Symbol.asyncDispose]: async () => void (await Promise.all(all.map((socket) => socket[Symbol.asyncDispose]()))),
  };
}
