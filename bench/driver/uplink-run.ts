import { type EventSockets, openEventSockets } from './event-sockets.ts';
import type { Fleet } from './fleet.ts';
import { receptionOf } from './fleet.ts';
import type { Gateways } from './gateways.ts';
import { pace, settled } from './pace.ts';
import { watchProcessor } from './process-use.ts';
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
}

export interface UplinkRunner extends Disposable {
  run: (perSecond: number, seconds: number) => Promise<UplinkResult>;
}

/** A server with a signed-in client, and its peers. */
export type Servers = Pick<BenchServer, 'hilltop' | 'client' | 'token'> & {
  others?: readonly BenchServer['hilltop'][];
};

/** Sends uplinks of a fleet while the event stream of each device is open, and looks for each uplink among the events. */
export async function startUplinkRunner(servers: Servers, fleet: Fleet, gateways: Gateways): Promise<UplinkRunner> {
  const { hilltop, client, token, others = [] } = servers;
  const all = [hilltop, ...others];
  const paths = await Promise.all(fleet.devEUIs.map((devEUI) => client.device.streamEventLogs.path({ devEUI })));
  let onEvent: EventSockets['onEvent'] = () => {};
  const sockets = await Promise.all(
    all.map(({ url }, nth) =>
      openEventSockets({
        url,
        token,
        paths: paths.filter((_, device) => device % all.length === nth),
        onEvent: (place, text, at) => onEvent(place * all.length + nth, text, at),
      }),
    ),
  );
  const size = fleet.devices.length;
  const data = new Uint8Array(20).fill(0x5a);

  return {
    [Symbol.dispose]: () => sockets.forEach((some) => some[Symbol.dispose]()),
    run: async (perSecond, seconds) => {
      const count = perSecond * seconds;
      const firstFCnt = fleet.devices.map((device) => device.session!.fCntUp);
      const datagrams = Array.from({ length: count }, (_, index) => {
        const transmission = fleet.devices[index % size]!.uplink({ fPort: 10, data });
        return gateways.prepare(index, receptionOf(transmission, index * 100));
      });
      const sentAt = new Float64Array(count);
      const [acknowledged, seen] = [new Uint8Array(count), new Uint8Array(count)];
      const latencies: number[] = [];
      let duplicates = 0;
      gateways.onAcknowledged = (index) => void (acknowledged[index] = 1);
      onEvent = (device, text, at) => {
        const index = (fCntOf(text) - firstFCnt[device]!) * size + device;
        if (!(index >= 0 && index < count)) return;
        if (seen[index]) duplicates += 1;
        else latencies.push(at - sentAt[index]!);
        seen[index] = 1;
      };
      const processor = watchProcessor(...all.map(({ pid }) => pid()));
      await pace(perSecond, count, (index) => {
        sentAt[index] = performance.now();
        gateways.send(index, datagrams[index]!);
      });
      const used = processor();
      await settled(count, () => latencies.length);
      return {
        perSecond,
        sent: count,
        acknowledged: sum(acknowledged),
        delivered: latencies.length,
        duplicates,
        lost: acknowledged.reduce((lost, one, index) => lost + (one && !seen[index] ? 1 : 0), 0),
        latency: spreadOf(latencies),
        processor: used,
      };
    },
  };
}

/** The frame counter of an `up` event; NaN for other events. */
export function fCntOf(text: string): number {
  return Number(/"type":"up".*?\\"fCnt\\":(\d+)/.exec(text)?.[1]);
}

export function sum(flags: Uint8Array): number {
  return flags.reduce((total, flag) => total + flag, 0);
}
