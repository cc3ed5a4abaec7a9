import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

export interface FoundOutage {
  readonly gatewayID: string;
  /** The last sign of life, in milliseconds since 1970. */
  readonly sign: number;
  readonly startedAt: Date;
  readonly reason: string;
}

const dayMs = 86_400_000;
const retentionDays = 400;
/** With more outages in 24 hours, those of a gateway become one that lasts longer. */
export const mostOutagesPerDay = 50;
const rowsPerRemoval = 500;

/** The gateways that have an open outage. */
export async function openOutages({ query }: Database): Promise<Set<string>> {
  const rows = await query.selectFrom('gateway_outage').select('gateway_id').where('ended_at', 'is', null).execute();
  return new Set(rows.map(({ gateway_id }) => gateway_id));
}

interface StoredOutages {
  opened: Set<string>;
  /** Gateways with too many outages: their last one goes on. */
  reopened: Set<string>;
}

/** Stores outages of gateways from which nothing was received since and that have none open. Call it in a transaction. */
export async function storeOutages(
  { query }: Database,
  found: readonly FoundOutage[],
  now: Date,
): Promise<StoredOutages> {
  const ids = found.map(({ gatewayID }) => gatewayID);
  const rows = await query.selectFrom('gateway').select(['id', 'heard_at']).where('id', 'in', ids).execute();
  const received = new Map(rows.map(({ id, heard_at }) => [id, heard_at?.getTime() ?? 0]));
  const silent = found.filter(({ gatewayID, sign }) => (received.get(gatewayID) ?? Number.POSITIVE_INFINITY) <= sign);
  const recent = await query
    .selectFrom('gateway_outage')
    .select('gateway_id')
    .where('gateway_id', 'in', ids)
    .where('started_at', '>', new Date(now.getTime() - dayMs))
    .groupBy('gateway_id')
    .having((eb) => eb.fn.countAll(), '>=', mostOutagesPerDay)
    .execute();
  const tooMany = new Set(recent.map(({ gateway_id }) => gateway_id));
  const values = silent
    .filter(({ gatewayID }) => !tooMany.has(gatewayID))
    .map(({ gatewayID, startedAt, reason }) => ({
      gateway_id: gatewayID,
      started_at: startedAt,
      ended_at: null,
      reason,
    }));
  const opened =
    values.length === 0
      ? []
      : await query
          .insertInto('gateway_outage')
          .values(values)
          .onConflict((on) => on.doNothing())
          .returning('gateway_id')
          .execute();
  const reopened = silent.filter(({ gatewayID }) => tooMany.has(gatewayID));
  for (const { gatewayID } of reopened)
    await query
      .updateTable('gateway_outage')
      .set({ ended_at: null })
      .where('gateway_id', '=', gatewayID)
      .where('started_at', '=', (eb) =>
        eb
          .selectFrom('gateway_outage as newest')
          .select((of) => of.fn.max('newest.started_at').as('at'))
          .where('newest.gateway_id', '=', gatewayID),
      )
      .execute();
  return {
    opened: new Set(opened.map(({ gateway_id }) => gateway_id)),
    reopened: new Set(reopened.map(({ gatewayID }) => gatewayID)),
  };
}

/** Ends open outages. Resolves with the gateways that had one, and when it began and ended. Call it in a transaction. */
export async function closeOutages(
  { query }: Database,
  ends: ReadonlyMap<string, Date>,
): Promise<ReadonlyMap<string, { startedAt: Date; endedAt: Date }>> {
  const closed = new Map<string, { startedAt: Date; endedAt: Date }>();
  for (const [gatewayID, end] of ends) {
    const rows = await query
      .updateTable('gateway_outage')
      .set({ ended_at: sql<Date>`case when started_at > ${end} then started_at else ${end} end` })
      .where('gateway_id', '=', gatewayID)
      .where('ended_at', 'is', null)
      .returning(['started_at', 'ended_at'])
      .execute();
    for (const { started_at, ended_at } of rows) closed.set(gatewayID, { startedAt: started_at, endedAt: ended_at! });
  }
  return closed;
}

/** `now` in milliseconds since 1970. */
export async function removeOldOutages({ query }: Database, now: number): Promise<void> {
  const before = new Date(now - retentionDays * dayMs);
  for (;;) {
    const old = await query
      .selectFrom('gateway_outage')
      .select(['gateway_id', 'started_at'])
      .where('ended_at', '<', before)
      .limit(rowsPerRemoval)
      .execute();
    for (const { gateway_id, started_at } of old)
      await query
        .deleteFrom('gateway_outage')
        .where('gateway_id', '=', gateway_id)
        .where('started_at', '=', started_at)
        .execute();
    if (old.length < rowsPerRemoval) return;
  }
}
