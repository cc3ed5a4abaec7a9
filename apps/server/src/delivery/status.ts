import type { DeliveryHour, DeliveryStatus } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { organizationOf } from '../event-log/event.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { delivers } from '../integrations/integration.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { ActiveIntegration } from './active-integration.ts';
import { countDeadLetters } from './dead-letter-rows.ts';
import type { Health } from './health.ts';

interface StatusDependencies {
  database: Database;
  eventLog: EventLog;
  statistics: Statistics;
  clock: Clock;
}

/** The application of an integration. */
export interface OwnerApplication {
  name: string;
  organizationID: number;
}

/**
 * A discontinued kind reads the log and sends nothing, so that the log need not retain events for it; users see it as
 * suspended.
 */
function stateOf({ runner, adapter }: ActiveIntegration): Pick<Health, 'state' | 'reason'> {
  const { state, reason } = runner.snapshot().state.health;
  return adapter.discontinued === undefined ? { state, reason } : { state: 'SUSPENDED', reason: adapter.discontinued };
}

const noBacklog = { events: 0, oldestAt: undefined };

/** The status of an integration in the form of the API. */
export async function statusOf(
  dependencies: StatusDependencies,
  active: ActiveIntegration,
  owner: OwnerApplication | undefined,
): Promise<DeliveryStatus> {
  const { id, runner, adapter } = active;
  const { applicationID, kind } = runner.integration();
  const organizationID = organizationOf(applicationID) ?? owner?.organizationID ?? 0;
  const { state: stored, inFlight, retrying, nextTryAt, oldestAt } = runner.snapshot();
  const { health, position, keepOrder, maxInFlight } = stored;
  const [behind, dead, hours] = await Promise.all([
    adapter.eventTypes.length > 0
      ? dependencies.eventLog.behind(applicationID, position, adapter.eventTypes)
      : noBacklog,
    countDeadLetters(dependencies.database, id),
    hoursOf(dependencies, id),
  ]);
  return {
    applicationID: String(Math.max(applicationID ?? 0, 0)),
    applicationName: owner?.name ?? '',
    kind,
    ...stateOf(active),
    since: health.since.toISOString(),
    behindEvents: behind.events + retrying,
    oldestAt: (oldestAt ?? (behind.events > 0 ? behind.oldestAt : undefined))?.toISOString() ?? null,
    parked: retrying,
    dead,
    inFlight,
    nextTryAt: nextTryAt?.toISOString() ?? null,
    lastSuccessAt: health.lastSuccessAt?.toISOString() ?? null,
    keepOrder,
    maxInFlight,
    hours,
    organizationID: String(organizationID),
    lacksAddress:
      adapter.eventTypes.length > 0 &&
      !adapter.eventTypes.some((type) => delivers(adapter, runner.integration(), type)),
  };
}

const hourMs = 3_600_000;

async function hoursOf({ statistics, clock }: StatusDependencies, id: number): Promise<DeliveryHour[]> {
  const to = clock.now().getTime();
  const buckets = await statistics.read(`integration:${id}`, 'HOUR', to - 23 * hourMs, to);
  return buckets.map(({ start, counters }) => ({
    startsAt: new Date(start).toISOString(),
    delivered: counters['delivered'] ?? 0,
    retried: (counters['retried'] ?? 0) + (counters['parked'] ?? 0),
    dead: counters['dead'] ?? 0,
    expired: counters['expired'] ?? 0,
  }));
}

export const isUnhealthy = (active: ActiveIntegration): boolean => stateOf(active).state !== 'HEALTHY';

const severity = ['SUSPENDED', 'DEGRADED', 'HEALTHY'];

/** Orders suspended integrations before degraded and healthy ones, and in each state those that have it longest first. */
export function compareByHealth(a: ActiveIntegration, b: ActiveIntegration): number {
  const sinceOf = ({ runner }: ActiveIntegration) => runner.snapshot().state.health.since.getTime();
  return (
    severity.indexOf(stateOf(a).state) - severity.indexOf(stateOf(b).state) || sinceOf(a) - sinceOf(b) || a.id - b.id
  );
}

/** The same order, for statuses that instances have answered. */
export function compareStatuses(a: DeliveryStatus, b: DeliveryStatus): number {
  const sinceOf = ({ since }: DeliveryStatus) => Date.parse(since ?? '') || 0;
  return severity.indexOf(a.state) - severity.indexOf(b.state) || sinceOf(a) - sinceOf(b);
}
