import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { pace } from '../driver/pace.ts';
import { residentMB } from '../driver/process-use.ts';
import { openField } from './field.ts';
import { countedBy, droppedAt, folderMB } from './figures.ts';
import { type Flood, type FloodName, floods, quiet } from './floods.ts';
import type { Verdict } from './ledger.ts';
import { type RunOptions, startTraffic } from './traffic.ts';

export interface FloodResult extends Verdict {
  flooded: number;
  /** Datagrams of the flood that were neither acknowledged nor counted. */
  uncounted: number;
  /** Events that say a gateway has sent something, while none said so. */
  believed: number;
  /** Kept events of a silent device that are gone afterwards. */
  displaced: number;
  memoryMB: number;
  databaseMB: number;
}

interface Options extends RunOptions {
  /** Share of the flood that is sent, 0 to 1. */
  share?: number;
  restMs: number;
}

/** Counters of datagrams that went nowhere. */
const counters = /^hilltop_(gateway_datagrams_\w+|gateway_acks_\w+)$/;
const elsewhere = (nth: number) => `127.0.0.${nth + 2}`;
/** PUSH_ACK and PULL_ACK. */
const acks: readonly (number | undefined)[] = [1, 4];
const longestLookMs = 30_000;
const quietEvents = 5;

/** Floods the server from another address while the devices talk on. */
export async function runFlood(name: FloodName, options: Options): Promise<FloodResult> {
  const { share = 1 } = options;
  const flood: Flood = floods[name];
  const settings = { HILLTOP_EVENT_HISTORY: '10', ...options.settings };
  await using field = await openField({ ...options, settings, lostAcks: 1 });
  const { hilltop, ledger, network, devices } = field;
  const silent = quiet(field);
  for (let index = 0; index < quietEvents; index += 1) await network.send(silent, { fPort: 1, data: Uint8Array.of(7) });
  await field.watch();
  using traffic = startTraffic({ ...field, devices: devices.slice(1) }, options.perSecond, options.habits);
  await delay(options.restMs);

  const [memoryBefore, databaseBefore] = [residentMB(hilltop.pid()), folderMB(hilltop.data)];
  const countedBefore = await countedBy(hilltop.url, counters);
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
  const unheard = () => all.reduce((sum, socket) => sum + droppedAt(socket.address().port), 0);
  const uncounted = async () =>
    total - answered - unheard() - ((await countedBy(hilltop.url, counters)) - countedBefore);
  // What the kernel dropped is only looked up now and then.
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

/** One socket for each of so many addresses of the loopback. */
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
