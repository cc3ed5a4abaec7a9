import type { Clock } from '@hilltop/network-server';
import type { Metrics } from '../metrics.ts';
import type { ActiveIntegration } from './active-integration.ts';

/** `active` lists the integrations that this instance delivers to. */
export function registerDeliveryMetrics(metrics: Metrics, clock: Clock, active: () => ActiveIntegration[]): void {
  const snapshots = () => active().map(({ runner }) => ({ ...runner.snapshot(), kind: runner.integration().kind }));

  metrics.gauges('deliveries_in_flight', 'Deliveries under way.', 'kind', () =>
    sumBy(snapshots(), ({ kind, inFlight }) => [kind, inFlight]),
  );
  metrics.gauge('retry_queue_events', 'Events in retry queues.', () =>
    snapshots().reduce((sum, { retrying }) => sum + retrying, 0),
  );
  metrics.gauge(
    'delivery_behind_seconds',
    'Age of the oldest event under way or waiting, of the worst integration.',
    () => {
      const now = clock.now().getTime();
      return Math.max(0, ...snapshots().map(({ oldestAt }) => now - (oldestAt?.getTime() ?? now))) / 1000;
    },
  );
  metrics.gauges('integrations', 'Integrations by how they are doing.', 'state', () =>
    sumBy(snapshots(), ({ state }) => [state.health.state.toLowerCase(), 1]),
  );
}

function sumBy<T>(values: readonly T[], countOf: (value: T) => [label: string, count: number]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [label, count] of values.map(countOf)) sums.set(label, (sums.get(label) ?? 0) + count);
  return sums;
}
