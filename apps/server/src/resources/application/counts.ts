import type { ApplicationListItem } from '@hilltop/contract';
import { sql } from 'kysely';
import { countBy } from '../../database/count-by.ts';
import type { Database } from '../../database/database.ts';
import { isInList } from '../../database/in-list.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { applicationSubject } from '../../statistics/subjects.ts';
import { inactiveByApplication } from '../device/state.ts';
import { cachedTotals } from '../device/totals.ts';

interface CountsDependencies {
  database: Database;
  statistics: Pick<Statistics, 'readMany'>;
}

/** Adds the counts of a page of applications: a few queries by index, whatever the number of rows. */
export async function withCounts(
  { database, statistics }: CountsDependencies,
  applications: readonly ApplicationListItem[],
  now: Date,
): Promise<ApplicationListItem[]> {
  if (applications.length === 0) return [];
  const ids = applications.map(({ id }) => Number(id));
  const [deviceCounts, neverSeen, inactive, integrations, troubled, uplinks] = await Promise.all([
    deviceCountsOf(database, ids),
    cachedTotals(database, 'neverSeen', ids, () => neverSeenBy(database, ids)),
    cachedTotals(database, 'inactive', ids, () => inactiveByApplication(database, ids, now)),
    countBy(database, ['integration', 'application_id'], ids),
    troubledBy(database, ids),
    statistics.readMany(ids.map(applicationSubject), 'DAY', now.getTime()),
  ]);
  return applications.map((application) => {
    const id = Number(application.id);
    const deviceCount = deviceCounts.get(id) ?? 0;
    const inactiveCount = inactive.get(id) ?? 0;
    return {
      ...application,
      deviceCount,
      // The numbers are of slightly different moments.
      activeCount: Math.max(0, deviceCount - inactiveCount - (neverSeen.get(id) ?? 0)),
      inactiveCount,
      uplinkCount: uplinks.get(applicationSubject(id))?.[0]?.counters['rx_count'] ?? 0,
      integrationCount: integrations.get(id) ?? 0,
      troubledIntegrationCount: troubled.get(id) ?? 0,
    };
  });
}

async function deviceCountsOf({ query, kind }: Database, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = query
    .selectFrom('application')
    .select(['id', 'device_count'])
    .where(isInList(kind, 'id', ids));
  return new Map((await rows.execute()).map((row) => [row.id, row.device_count]));
}

async function neverSeenBy({ query, kind }: Database, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = query
    .selectFrom('device')
    .select((eb) => ['application_id', eb.fn.countAll<number>().as('count')])
    .where(isInList(kind, 'application_id', ids))
    .where(sql<boolean>`seen_mark is null`)
    .groupBy('application_id');
  return new Map((await rows.execute()).map((row) => [row.application_id, Number(row.count)]));
}

/** The integrations that are degraded or suspended. */
async function troubledBy({ query, kind }: Database, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = query
    .selectFrom('integration')
    .innerJoin('integration_state', 'integration_state.integration_id', 'integration.id')
    .select((eb) => ['application_id', eb.fn.countAll<number>().as('count')])
    .where(isInList(kind, 'application_id', ids))
    .where('state', '!=', 'HEALTHY')
    .groupBy('application_id');
  return new Map((await rows.execute()).map((row) => [row.application_id!, Number(row.count)]));
}
