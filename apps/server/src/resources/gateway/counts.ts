import { type GatewayCountName, type GatewayCounts, gatewayCounts, gatewayFilters } from '@hilltop/contract';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { conditionsOf, readFilters } from '../list-filters.ts';
import { conditionsOfGateways, type GatewaySelection, gatewayRules } from './store.ts';

/** The gateways of a selection by state: there are few enough to be read. */
export async function gatewayCountsOf(
  database: Database,
  selection: GatewaySelection,
  now: Date,
): Promise<GatewayCounts> {
  const wanted = await conditionsOfGateways(database, selection, now);
  const rules = gatewayRules(database.kind, now);
  const sums = Object.entries(gatewayCounts).map(([name, { filter }]) => {
    const [condition] = conditionsOf(readFilters(gatewayFilters, [filter]), rules);
    return sql<number>`count(case when ${condition} then 1 end)`.as(name as GatewayCountName);
  });
  const row = await wanted
    .reduce((rows, one) => rows.where(one), database.query.selectFrom('gateway'))
    .select((eb) => eb.fn.countAll<number>().as('all'))
    .select(sums)
    .executeTakeFirstOrThrow();
  return Object.fromEntries(Object.entries(row).map(([name, count]) => [name, Number(count)])) as GatewayCounts;
}
