import { openEventSockets } from './event-sockets.ts';
import { type Fleet, receptionOf } from './fleet.ts';
import type { Gateways } from './gateways.ts';
import { pace, settled } from './pace.ts';
import { deduplicationWindowMs } from './sent-uplinks.ts';
import type { BenchServer } from './server.ts';
import { type Spread, spreadOf } from './spread.ts';
import { fCntOf, sum } from './uplink-run.ts';

/** The outcome of the uplinks of one run; only the events of the first devices are watched. */
export interface SoakRun {
  perSecond: number;
  sent: number;
  acknowledged: number;
  watched: number;
  delivered: number;
  duplicates: number;
  /** Number of watched, acknowledged uplinks without an event. */
  lost: number;
  /** Latency in ms, minus the deduplication window. */
  latency: Spread;
}

interface Field {
  server: BenchServer;
  fleet: Fleet;
  gateways: Gateways;
  /** Number of gateways that receive each uplink. */
  copies: number;
}

export interface SoakRunner extends Disposable {
  run: (perSecond: number, seconds: number) => Promise<SoakRun>;
  /** Number of events of each watched device in all runs. */
  seenOf: Uint32Array;
}

/** Streams for all 10,000 devices would dominate the measurement. */
const mostWatched = 1000;
const data = new Uint8Array(20).fill(0x5a);

/** Uplinks of all devices, round-robin, made while they are sent: the uplinks of ten minutes do not fit into memory. */
export async function startSoakRunner({ server, fleet, gateways, copies }: Field): Promise<SoakRunner> {
  const { hilltop, client, token } = server;
  const watched = fleet.devEUIs.slice(0, mostWatched);
  const paths = await Promise.all(watched.map((devEUI) => client.device.streamEventLogs.path({ devEUI })));
  const sockets = await openEventSockets({ url: hilltop.url, token, paths, onEvent: () => {} });
  const size = fleet.devices.length;
  const seenOf = new Uint32Array(watched.length);

  return {
    seenOf,
    [Symbol.dispose]: () => sockets[Symbol.dispose](),
    run: async (perSecond, seconds) => {
      const count = perSecond * seconds;
      const firstFCnt = fleet.devices.map((device) => device.session!.fCntUp);
      const [sentAt, tookMs] = [new Float64Array(count), new Float64Array(count)];
      const [acknowledged, seen] = [new Uint8Array(count), new Uint8Array(count)];
      let [delivered, duplicates] = [0, 0];
      gateways.onAcknowledged = (index) => void (acknowledged[Math.floor(index / copies)] = 1);
      sockets.onEvent = (device, text, at) => {
        const index = (fCntOf(text) - firstFCnt[device]!) * size + device;
        if (!(index >= 0 && index < count)) return;
        if (seen[index]) duplicates += 1;
        else {
          seen[index] = 1;
          delivered += 1;
          seenOf[device]! += 1;
          tookMs[index] = at - sentAt[index]! - deduplicationWindowMs;
        }
      };
      await pace(perSecond, count, (index) => {
        const transmission = fleet.devices[index % size]!.uplink({ fPort: 10, data });
        sentAt[index] = performance.now();
        const rxpk = receptionOf(transmission, index * 100);
        for (let copy = index * copies; copy < (index + 1) * copies; copy += 1)
          gateways.send(copy, gateways.prepare(copy, rxpk));
      });
      const isWatched = (_: unknown, index: number) => index % size < watched.length;
      const ofWatched = Math.floor(count / size) * watched.length + Math.min(count % size, watched.length);
      await settled(ofWatched, () => delivered);
      return {
        perSecond,
        sent: count,
        acknowledged: sum(acknowledged),
        watched: ofWatched,
        delivered,
        duplicates,
        lost: acknowledged.filter((one, index) => one && isWatched(one, index) && !seen[index]).length,
        latency: spreadOf(tookMs.filter((_, index) => seen[index])),
      };
    },
  };
}
