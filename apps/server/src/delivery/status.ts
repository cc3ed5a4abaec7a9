import type { DeliveryHour, DeliveryStatus } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Statistics } from '../statistics/statistics.ts';
import { countDead } from './dead-rows.ts';
import type { Active } from './delivery.ts';
import type { Health } from './health.ts';

interface StatusDependencies {
  database: Database;
  eventLog: EventLog;
  statistics: Statistics;
  clock: Clock;
}

/** The application of an integration. */
export interface Owner {
  name: string;
  organizationID: number;
}

/** A kind whose service has ended reads the log and sends nothing, so that events do not wait for it: it counts as suspended. */
function stateOf({ runner, kind }: Pick<Active, 'runner' | 'kind'>): Pick<Health, 'state' | 'reason'> {
  const { state, reason } = runner.now().saved.health;
  return kind.ended === undefined ? { state, reason } : { state: 'SUSPENDED', reason: kind.ended };
}

const nothingBehind = { events: 0, oldestAt: undefined };

/** How an integration is doing, for people. */
export async function statusOf(
  needs: StatusDependencies,
  { id, runner, kind }: Active,
  owner: Owner | undefined,
): Promise<DeliveryStatus> {
  const { applicationID, kind: name } = runner.configured();
  const { saved, inFlight, parked, nextTryAt, oldestAt } = runner.now();
  const { health, position, keepOrder, maxInFlight } = saved;
  const [behind, dead, hours] = await Promise.all([
    kind.takes.length > 0 ? needs.eventLog.behind(applicationID, position, kind.takes) : nothingBehind,
    countDead(needs.database, id),
    hoursOf(needs, id),
  ]);
  return {
    applicationID: String(applicationID ?? 0),
    applicationName: owner?.name ?? '',
    kind: name,
    ...stateOf({ runner, kind }),
    since: health.since.toISOString(),
    behindEvents: behind.events + parked,
    oldestAt: (oldestAt ?? (behind.events > 0 ? behind.oldestAt : undefined))?.toISOString() ?? null,
    parked,
    dead,
    inFlight,
    nextTryAt: nextTryAt?.toISOString() ?? null,
    lastSuccessAt: health.lastSuccessAt?.toISOString() ?? null,
    keepOrder,
    maxInFlight,
    hours,
    organizationID: String(owner?.organizationID ?? 0),
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

export const isTroubled = (active: Active): boolean => stateOf(active).state !== 'HEALTHY';

const severity = ['SUSPENDED', 'DEGRADED', 'HEALTHY'];

/** The worst first: suspended ones, then degraded ones, the longest ones before. */
export function byTrouble(a: Active, b: Active): number {
  const [one, other] = [a, b].map(({ runner }) => runner.now().saved.health) as [Health, Health];
  return (
    severity.indexOf(stateOf(a).state) - severity.indexOf(stateOf(b).state) ||
    one.since.getTime() - other.since.getTime() ||
    a.id - b.id
  );
}

/** The same order, of what was told. */
export function worstFirst(a: DeliveryStatus, b: DeliveryStatus): number {
  const sinceOf = ({ since }: DeliveryStatus) => Date.parse(since ?? '') || 0;
  return severity.indexOf(a.state) - severity.indexOf(b.state) || sinceOf(a) - sinceOf(b);
}
