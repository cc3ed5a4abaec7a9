import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { InstanceFigures } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Metrics } from '../metrics.ts';

/** The load of this instance, from its own counters. */
export interface InstanceLoad {
  now: () => InstanceFigures;
  stop: () => void;
}

const everyMs = 10_000;
/** Rates are averages of one minute. */
const mostSamples = 7;
const lagResolutionMs = 20;
const counters = ['uplink_copies', 'uplinks', 'downlinks'] as const;

export function createInstanceLoad({
  clock,
  metrics,
  gatewayCount,
}: {
  clock: Clock;
  metrics: Pick<Metrics, 'total'>;
  gatewayCount: () => number;
}): InstanceLoad {
  const delays = monitorEventLoopDelay({ resolution: lagResolutionMs });
  delays.enable();
  const samples: { at: number; totals: number[] }[] = [];
  let lagMs = 0;
  let cancel: (() => void) | undefined;
  let isStopped = false;

  async function sample(): Promise<void> {
    // If reading fails, the rates do not change.
    const totals = await Promise.all(counters.map((name) => metrics.total(name))).catch(() => undefined);
    if (totals) samples.push({ at: clock.monotonicMs(), totals });
    if (samples.length > mostSamples) samples.shift();
    if (delays.count > 0) lagMs = Math.max(0, delays.percentile(99) / 1e6 - lagResolutionMs);
    delays.reset();
    if (!isStopped) cancel = clock.after(everyMs, () => void sample());
  }
  void sample();

  function rate(counter: (typeof counters)[number]): number {
    const [first, last] = [samples[0], samples.at(-1)];
    if (!first || !last || first === last) return 0;
    const at = counters.indexOf(counter);
    return ((last.totals[at]! - first.totals[at]!) * 1_000) / (last.at - first.at);
  }

  return {
    now: () => ({
      gateways: gatewayCount(),
      copiesPerSecond: rate('uplink_copies'),
      uplinksPerSecond: rate('uplinks'),
      downlinksPerSecond: rate('downlinks'),
      lagMs,
    }),
    stop: () => {
      isStopped = true;
      cancel?.();
      delays.disable();
    },
  };
}
