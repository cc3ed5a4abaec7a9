import { openEventSockets } from './event-sockets.ts';
import type { Fleet } from './fleet.ts';
import { receptionOf } from './fleet.ts';
import type { Gateways } from './gateways.ts';
import { processesOf } from './measured-processes.ts';
import { pace, settled } from './pace.ts';
import { type MeasuredProcesses, memoryMB, microsecondsEach, watchProcesses } from './process-use.ts';
import type { BenchServer } from './server.ts';
import { type Spread, spreadOf } from './spread.ts';

/** The outcome of the uplinks of one run. */
export interface UplinkResult {
  perSecond: number;
  sent: number;
  acknowledged: number;
  delivered: number;
  duplicates: number;
  /** Number of acknowledged uplinks without an event. */
  lost: number;
  /** Latency from the datagram to the event in ms, including the deduplication window of 200 ms. */
  latency: Spread;
  /** Processor use of all threads of the servers, in percent of one core. */
  processor: number;
  /** Processor time in microseconds for each delivered uplink, by process; empty when none was delivered. */
  each: Record<string, number>;
  /** Memory at the end of the run, by process. */
  memoryMB: Record<string, number>;
}

export interface UplinkRunner extends Disposable {
  run: (perSecond: number, seconds: number) => Promise<UplinkResult>;
}

/** A server with a signed-in client, and its peers. */
export type Servers = Pick<BenchServer, 'hilltop' | 'client' | 'token'> & {
  postgres?: BenchServer['postgres'];
  others?: readonly BenchServer['hilltop'][];
};

/** Where the `up` events of a fleet arrive: the finish line of an uplink. */
export interface UplinkEvents extends Disposable {
  onUplink: (device: number, fCnt: number, at: number) => void;
  /** Throws the reason when no more events can arrive. */
  assertOpen: () => void;
}

/** Sends uplinks of a fleet while the event stream of each device is open, and looks for each uplink among the events. */
export async function startUplinkRunner(servers: Servers, fleet: Fleet, gateways: Gateways): Promise<UplinkRunner> {
  const pids = [servers.hilltop, ...(servers.others ?? [])].map(({ pid }) => pid());
  return uplinkRunner({
    fleet,
    gateways,
    events: await openWebsocketEvents(servers, fleet),
    processes: processesOf(pids, servers.postgres),
  });
}

async function openWebsocketEvents(servers: Servers, fleet: Fleet): Promise<UplinkEvents> {
  const { hilltop, client, token, others = [] } = servers;
  const all = [hilltop, ...others];
  const paths = await Promise.all(fleet.devEUIs.map((devEUI) => client.device.streamEventLogs.path({ devEUI })));
  const sockets = await Promise.all(
    all.map(({ url }, nth) =>
      openEventSockets({
        url,
        token,
        paths: paths.filter((_, device) => device % all.length === nth),
        onEvent: (place, text, at) => events.onUplink(place * all.length + nth, fCntOf(text), at),
      }),
    ),
  );
  const events: UplinkEvents = {
    onUplink: () => {},
    assertOpen: () => {},
    [Symbol.dispose]: () => sockets.forEach((some) => some[Symbol.dispose]()),
  };
  return events;
}

interface RunParts {
  fleet: Fleet;
  gateways: Gateways;
  events: UplinkEvents;
  /** Those named `server` are the server. */
  processes: readonly MeasuredProcesses[];
}

/** So long no event may arrive before the rest counts as lost: a busy disk can delay a server for seconds. */
const patienceMs = 10_000;
const data = new Uint8Array(20).fill(0x5a);

/** Sends uplinks of all devices, round-robin, and looks for each among the events. */
export function uplinkRunner({ fleet, gateways, events, processes }: RunParts): UplinkRunner {
  const size = fleet.devices.length;
  return {
    [Symbol.dispose]: () => events[Symbol.dispose](),
    run: async (perSecond, seconds) => {
      const count = perSecond * seconds;
      const firstFCnt = fleet.devices.map((device) => device.session!.fCntUp);
      const datagrams = packBytes(count, (index) => {
        const transmission = fleet.devices[index % size]!.uplink({ fPort: 10, data });
        return gateways.prepare(index, receptionOf(transmission, index * 100));
      });
      const [sentAt, latencies] = [new Float64Array(count), new Float64Array(count)];
      const [acknowledged, seen] = [new Uint8Array(count), new Uint8Array(count)];
      let [delivered, duplicates] = [0, 0];
      gateways.onAcknowledged = (index) => void (acknowledged[index] = 1);
      events.onUplink = (device, fCnt, at) => {
        const index = (fCnt - firstFCnt[device]!) * size + device;
        if (!(index >= 0 && index < count)) return;
        if (seen[index]) duplicates += 1;
        else latencies[delivered++] = at - sentAt[index]!;
        seen[index] = 1;
      };
      const used = watchProcesses(processes);
      const began = performance.now();
      await pace(perSecond, count, (index) => {
        sentAt[index] = performance.now();
        gateways.send(index, datagrams(index));
      });
      const whileSending = (used()['server'] ?? 0) / (performance.now() - began);
      await settled(count, () => delivered, patienceMs);
      events.assertOpen();
      const each = microsecondsEach(used(), delivered);
      return {
        perSecond,
        sent: count,
        acknowledged: sum(acknowledged),
        delivered,
        duplicates,
        lost: acknowledged.reduce((lost, one, index) => lost + (one && !seen[index] ? 1 : 0), 0),
        latency: spreadOf(latencies.subarray(0, delivered)),
        processor: Math.round(whileSending * 100_000),
        each,
        memoryMB: Object.fromEntries(processes.map((some) => [some.name, memoryMB(some)])),
      };
    },
  };
}

/** Stores many short byte strings in few large ones, because millions of objects slow down the driver. */
function packBytes(count: number, make: (index: number) => Uint8Array): (index: number) => Uint8Array {
  const blockBytes = 2 ** 20;
  const [blockOf, startOf, endOf] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
  const blocks: Uint8Array[] = [];
  let end = blockBytes;
  for (let index = 0; index < count; index += 1) {
    const bytes = make(index);
    if (end + bytes.length > blockBytes) {
      blocks.push(new Uint8Array(blockBytes));
      end = 0;
    }
    blocks.at(-1)!.set(bytes, end);
    [blockOf[index], startOf[index], endOf[index]] = [blocks.length - 1, end, end + bytes.length];
    end += bytes.length;
  }
  return (index) => blocks[blockOf[index]!]!.subarray(startOf[index], endOf[index]);
}

/** The frame counter of an `up` event; NaN for other events. */
export function fCntOf(text: string): number {
  return Number(/"type":"up".*?\\"fCnt\\":(\d+)/.exec(text)?.[1]);
}

export function sum(flags: Uint8Array): number {
  return flags.reduce((total, flag) => total + flag, 0);
}
