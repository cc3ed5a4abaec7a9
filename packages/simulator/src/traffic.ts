/** The activity of devices: join, measure, send, retry later. */
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import type { Device } from './device/device.ts';
import type { SimulatedNetwork } from './network.ts';
import type { Random } from './random.ts';
import type { Probe } from './sensors/sensor.ts';

/** A device with its sensor. */
export interface Talker {
  device: Device;
  probe: Probe;
  intervalSeconds: number;
  /** The share of confirmed uplinks, 0 to 1. */
  confirmedShare?: number;
}

export interface TrafficOptions {
  network: SimulatedNetwork;
  talkers: readonly Talker[];
  /** Uplinks per second of all devices; without it every device uses its own interval. */
  rate?: number;
  /** The devices start at random times within this. */
  startWithinMs?: number;
  clock?: Clock;
  random?: Random;
}

export interface TrafficCounts {
  joinRequests: number;
  joined: number;
  uplinks: number;
  /** Uplinks that no gateway received. */
  unheard: number;
  /** Uplinks that the server acknowledged to a gateway. */
  acknowledged: number;
  confirmed: number;
  /** Confirmed uplinks that were answered. */
  answered: number;
}

export interface Traffic {
  readonly counts: Readonly<TrafficCounts>;
  /** Stops the devices; transmissions under way still end. */
  stop(): void;
}

const firstRetryMs = 10_000;
const longestRetryMs = 300_000;
const startWithinMs = 30_000;

export function startTraffic(options: TrafficOptions): Traffic {
  const { network, talkers, rate, clock = systemClock, random = Math.random } = options;
  const counts: TrafficCounts = {
    joinRequests: 0,
    joined: 0,
    uplinks: 0,
    unheard: 0,
    acknowledged: 0,
    confirmed: 0,
    answered: 0,
  };
  const timers = new Set<() => void>();
  let stopped = false;

  function later(ms: number, work: () => Promise<void>): void {
    if (stopped) return;
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      void work();
    });
    timers.add(cancel);
  }

  /** After each failure the next attempt comes later and with a slower data rate, which reaches further. */
  async function join(talker: Talker, failures = 0): Promise<void> {
    const { device } = talker;
    counts.joinRequests += 1;
    if (await network.join(device, { dataRate: joinDataRate(device, failures) })) {
      counts.joined += 1;
      return speak(talker, clock.monotonicMs());
    }
    const pauseMs = Math.min(firstRetryMs * 2 ** failures, longestRetryMs);
    later(pauseMs * (0.5 + random()), () => join(talker, failures + 1));
  }

  async function speak(talker: Talker, lastMs: number): Promise<void> {
    const nowMs = clock.monotonicMs();
    const { fPort, data } = talker.probe.measure({ random, now: clock.now(), elapsedMs: nowMs - lastMs });
    const confirmed = random() < (talker.confirmedShare ?? 0);
    const intervalMs = (rate ? talkers.length / rate : talker.intervalSeconds) * 1000;
    later(intervalMs * (0.8 + random() * 0.4), () => speak(talker, nowMs));
    counts.uplinks += 1;
    counts.confirmed += confirmed ? 1 : 0;
    const { receivedBy, acknowledged, received } = await network.send(talker.device, { fPort, data, confirmed });
    counts.unheard += receivedBy.length === 0 ? 1 : 0;
    counts.acknowledged += acknowledged ? 1 : 0;
    counts.answered += received?.kind === 'data' && received.acknowledged ? 1 : 0;
  }

  for (const talker of talkers) {
    const delayMs = random() * (options.startWithinMs ?? startWithinMs);
    later(delayMs, () => (talker.device.session ? speak(talker, clock.monotonicMs()) : join(talker)));
  }

  return {
    counts,
    stop() {
      stopped = true;
      for (const cancel of timers) cancel();
    },
  };
}

/** From the fastest data-rate down to the slowest, then again. */
function joinDataRate({ region }: Device, failures: number): number {
  const [slowest, fastest] = region.uplinkDataRates;
  return fastest - (failures % (fastest - slowest + 1));
}
