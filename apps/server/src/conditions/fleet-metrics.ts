import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';
import type { FleetCounts, FleetRequest, StateCount } from './fleet-counts.ts';

interface FleetMetricsDependencies {
  /** Counts beside the main thread. */
  count: (request: FleetRequest) => Promise<FleetCounts>;
  inactiveAfterIntervals: number;
  clock: Pick<Clock, 'now' | 'monotonicMs'>;
  log: Pick<Logger, 'warn'>;
  metrics: Metrics;
}

const keptMs = 60_000;
/** The organizations with the lowest ids have labels of their own; the others are added up. */
const mostOrganizations = 100;

/**
 * Gauges of devices, gateways and conditions of the whole installation. They are counted at most once a minute, and only
 * while somebody reads the metrics: a scrape gets the last counts, and only the first one waits for them.
 */
export function registerFleetMetrics({
  count,
  inactiveAfterIntervals,
  clock,
  log,
  metrics,
}: FleetMetricsDependencies): void {
  let counts: FleetCounts | undefined;
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;

  function refresh(): Promise<void> {
    countedAt = clock.monotonicMs();
    counting ??= count({ now: clock.now().getTime(), inactiveAfterIntervals })
      .then((found) => {
        counts = found;
      })
      .catch((error: unknown) => log.warn({ err: error }, 'devices and gateways could not be counted for the metrics'))
      .finally(() => {
        counting = undefined;
      });
    return counting;
  }

  async function current(): Promise<FleetCounts | undefined> {
    const refreshing = clock.monotonicMs() - countedAt >= keptMs ? refresh() : counting;
    if (!counts) await refreshing;
    return counts;
  }

  const states = ['organization', 'state'];
  metrics.labeledGauges('devices', 'Devices by organization and state.', states, async () =>
    byOrganization((await current())?.devices ?? []),
  );
  metrics.labeledGauges('gateways_registered', 'Gateways by organization and state.', states, async () =>
    byOrganization((await current())?.gateways ?? []),
  );
  metrics.labeledGauges('conditions', 'What needs attention, by condition.', ['condition'], async () =>
    ((await current())?.conditions ?? []).map(({ condition, count: value }) => [{ condition }, value]),
  );
  metrics.labeledGauges(
    'delivery_oldest_seconds',
    'Age of the oldest event in a retry queue or of a degraded or suspended integration.',
    [],
    async () => {
      const at = (await current())?.oldestUndelivered;
      return [[{}, at === undefined ? 0 : Math.max(0, clock.now().getTime() - at) / 1000]];
    },
  );
}

function byOrganization(counts: readonly StateCount[]): [Record<string, string>, number][] {
  const ids = [...new Set(counts.map(({ organizationID }) => organizationID))].sort((a, b) => a - b);
  const own = new Set(ids.slice(0, mostOrganizations));
  const sums = new Map<string, [Record<string, string>, number]>();
  for (const { organizationID, state, count } of counts) {
    const organization = own.has(organizationID) ? String(organizationID) : 'other';
    const key = `${organization} ${state}`;
    sums.set(key, [{ organization, state }, (sums.get(key)?.[1] ?? 0) + count]);
  }
  return [...sums.values()];
}
