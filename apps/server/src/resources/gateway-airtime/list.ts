import type { Operations, ResponseOf } from '@hilltop/contract';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { isEmbedded } from '../../network/embedded-address.ts';

interface ListedAirtimeRange {
  /** Undefined for all. */
  organizationIDs: readonly number[] | undefined;
  limit: number;
  offset: number;
  from: number;
  to: number;
}

/** A page of gateways with the sums of their hours, those that received the most first. */
export async function listAirtime(
  { query }: Database,
  { organizationIDs, limit, offset, from, to }: ListedAirtimeRange,
): Promise<ResponseOf<Operations['gatewayAirtime']['list']>> {
  const gateways = query
    .selectFrom('gateway')
    .$if(organizationIDs !== undefined, (all) => all.where('gateway.organization_id', 'in', organizationIDs!));
  const { count } = await gateways.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
  if (limit === 0) return { totalCount: String(count), result: [] };
  const sums = query
    .selectFrom('gateway_airtime')
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .groupBy('gateway_id')
    .select(({ fn }) => [
      'gateway_id',
      fn.sum('own_us').as('own_us'),
      fn.sum('foreign_us').as('foreign_us'),
      fn.sum('unreadable_us').as('unreadable_us'),
      fn.sum('sent_us').as('sent_us'),
      fn.max('fullest').as('fullest'),
    ]);
  const rows = await gateways
    .innerJoin('network_server', 'network_server.id', 'gateway.network_server_id')
    .leftJoin(sums.as('sums'), 'sums.gateway_id', 'gateway.id')
    .select(['gateway.id', 'gateway.name', 'network_server.server'])
    .select(['sums.own_us', 'sums.foreign_us', 'sums.unreadable_us', 'sums.sent_us', 'sums.fullest'])
    .orderBy(sql`coalesce(sums.own_us + sums.foreign_us + sums.unreadable_us, 0)`, 'desc')
    .orderBy('gateway.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const toMs = (us: unknown) => Number(us ?? 0) / 1000;
  const result = rows.map((row) => ({
    gatewayID: row.id,
    name: row.name,
    isReported: isEmbedded(row),
    ownMs: toMs(row.own_us),
    foreignMs: toMs(row.foreign_us),
    unreadableMs: toMs(row.unreadable_us),
    sentMs: toMs(row.sent_us),
    fullest: Number(row.fullest ?? 0),
  }));
  return { totalCount: String(count), result };
}
