import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { inactiveAfterIntervals, isYounger } from '../inactivity.ts';

/** The numbers of devices and gateways by state. */

/** The interval of a gateway without a gateway-profile. */
const defaultStatsIntervalMs = 30_000 / inactiveAfterIntervals;

interface Scope {
  /** Undefined means all organizations. */
  organizationID: number | undefined;
  now: Date;
}

export async function summarizeDevices({ query, kind }: Database, { organizationID, now }: Scope) {
  const isActive = isYounger(kind, 'device.last_seen_at', now, sql.ref('device_profile.uplink_interval_ms'));
  const rows = await query
    .selectFrom('device')
    .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
    .$if(organizationID !== undefined, (devices) =>
      devices.where('device_profile.organization_id', '=', organizationID!),
    )
    .select((eb) => [
      'device.dr',
      stateOf(isActive, 'device.last_seen_at').as('state'),
      eb.fn.countAll<number>().as('count'),
    ])
    .groupBy(['device.dr', 'state'])
    .execute();
  const drCount: Record<string, number> = {};
  for (const { dr, count } of rows) if (dr !== null) drCount[dr] = (drCount[dr] ?? 0) + count;
  return { ...totals(rows), drCount };
}

export async function summarizeGateways({ query, kind }: Database, { organizationID, now }: Scope) {
  const interval = sql<number>`coalesce(${sql.ref('gateway_profile.stats_interval_ms')}, ${sql.lit(defaultStatsIntervalMs)})`;
  const isActive = isYounger(kind, 'gateway.last_seen_at', now, interval);
  const rows = await query
    .selectFrom('gateway')
    .leftJoin('gateway_profile', 'gateway_profile.id', 'gateway.gateway_profile_id')
    .$if(organizationID !== undefined, (gateways) => gateways.where('gateway.organization_id', '=', organizationID!))
    .select((eb) => [stateOf(isActive, 'gateway.last_seen_at').as('state'), eb.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  return totals(rows);
}

type State = 'active' | 'inactive' | 'neverSeen';

function totals(rows: readonly { state: State; count: number }[]) {
  const of = (state: State) => rows.reduce((sum, row) => sum + (row.state === state ? row.count : 0), 0);
  return { activeCount: of('active'), inactiveCount: of('inactive'), neverSeenCount: of('neverSeen') };
}

function stateOf(isActive: RawBuilder<boolean>, lastSeenAt: string): RawBuilder<State> {
  return sql<State>`case when ${sql.ref(lastSeenAt)} is null then 'neverSeen' when ${isActive} then 'active' else 'inactive' end`;
}
