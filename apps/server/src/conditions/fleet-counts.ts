import { sql } from 'kysely';
import { isSuspendedFromStart } from '../delivery/suspended-from-start.ts';
import { type EvaluationContext, msOf } from './evaluation-context.ts';

export interface FleetRequest {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** A device that is silent for this many of its intervals is inactive. */
  readonly inactiveAfterIntervals: number;
}

/** How many devices or gateways of an organization are in a state. */
export interface StateCount {
  readonly organizationID: number;
  readonly state: string;
  readonly count: number;
}

/** What is counted of the whole installation. */
export interface FleetCounts {
  readonly devices: readonly StateCount[];
  readonly gateways: readonly StateCount[];
  readonly conditions: readonly { readonly condition: string; readonly count: number }[];
  /** When the oldest event happened that a failing integration has not delivered, in milliseconds since 1970. */
  readonly oldestUndelivered: number | undefined;
}

type Stores = Pick<EvaluationContext, 'query' | 'kind'>;

/** Reads every device once: call it beside the main thread. */
export async function countFleet(stores: Stores, request: FleetRequest): Promise<FleetCounts> {
  return {
    devices: await countDevices(stores, request),
    gateways: await countGateways(stores),
    conditions: await countConditions(stores),
    oldestUndelivered: await oldestUndelivered(stores),
  };
}

const toCount = (row: { organization_id: number; state: string; count: number | string | bigint }): StateCount => ({
  organizationID: row.organization_id,
  state: row.state,
  count: Number(row.count),
});

async function countDevices(
  { query, kind }: Stores,
  { now, inactiveAfterIntervals }: FleetRequest,
): Promise<StateCount[]> {
  const intervalMs = sql<number>`device_profile.uplink_interval_ms * ${inactiveAfterIntervals}`;
  const state = sql<string>`case when device.last_seen_at is null then 'never_seen'
    when ${msOf(kind, 'device.last_seen_at')} >= ${now} - ${intervalMs} then 'active' else 'inactive' end`;
  const rows = await query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
    .select(({ fn }) => ['application.organization_id', state.as('state'), fn.countAll().as('count')])
    .groupBy(['application.organization_id', sql`2`])
    .execute();
  return rows.map(toCount);
}

async function countGateways({ query }: Stores): Promise<StateCount[]> {
  const state = sql<string>`case when gateway_outage.gateway_id is not null then 'offline'
    when gateway.heard_at is null and gateway.last_seen_at is null then 'never_seen' else 'online' end`;
  const rows = await query
    .selectFrom('gateway')
    .leftJoin('gateway_outage', (on) =>
      on.onRef('gateway_outage.gateway_id', '=', 'gateway.id').on('gateway_outage.ended_at', 'is', null),
    )
    .select(({ fn }) => ['gateway.organization_id', state.as('state'), fn.countAll().as('count')])
    .groupBy(['gateway.organization_id', sql`2`])
    .execute();
  return rows.map(toCount);
}

async function countConditions({ query }: Stores): Promise<FleetCounts['conditions']> {
  const rows = await query
    .selectFrom('condition')
    .select(({ fn }) => ['condition', fn.countAll().as('count')])
    .groupBy('condition')
    .execute();
  return rows.map(({ condition, count }) => ({ condition, count: Number(count) }));
}

/** Of retry queues, and behind the cursors of integrations that are degraded or suspended, except new copies. */
async function oldestUndelivered({ query, kind }: Stores): Promise<number | undefined> {
  const waiting = await query
    .selectFrom('delivery_parked')
    .select(sql<number | null>`min(${msOf(kind, 'at')})`.as('at'))
    .where('dead_at', 'is', null)
    .executeTakeFirst();
  const failing = await query
    .selectFrom('integration_state')
    .innerJoin('integration', 'integration.id', 'integration_state.integration_id')
    .select(['integration_state.pos', 'integration.application_id', 'integration.organization_id'])
    .where('integration_state.state', '<>', 'HEALTHY')
    .where(sql<boolean>`not ${isSuspendedFromStart}`)
    .execute();
  const times = [waiting?.at];
  for (const { pos, application_id, organization_id } of failing) {
    const scope = organization_id === null ? application_id : -organization_id;
    const next = await query
      .selectFrom('event')
      .select('at')
      .where('pos', '>', pos)
      .$if(scope !== null, (rows) => rows.where('application_id', '=', scope!))
      .orderBy('pos')
      .limit(1)
      .executeTakeFirst();
    times.push(next?.at);
  }
  const known = times.filter((at) => at !== undefined && at !== null);
  return known.length === 0 ? undefined : Math.min(...known);
}
