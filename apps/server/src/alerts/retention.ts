import { alertDays } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import type { Metrics } from '../metrics.ts';
import { confirmWithinMs } from './receivers.ts';

const dayMs = 86_400_000;
/** Rows of one transaction: other writes wait for it. */
const slice = 500;
/** The most resolved alerts of an organization. */
const mostResolved = 20_000;

interface RetentionDependencies {
  database: Database;
  metrics: Pick<Metrics, 'count'>;
}

/** Removes old alerts and messages, the oldest alerts of an organization that has too many, and unconfirmed addresses. */
export async function removeOldAlerts({ database, metrics }: RetentionDependencies, now: number): Promise<void> {
  const before = now - alertDays * dayMs;
  metrics.count('alerts_removed', { reason: 'age' }, await removeResolved(database, { before }));
  const { query } = database;
  const crowded = await query
    .selectFrom('alert')
    .select('organization_id')
    .where('state', '=', 'RESOLVED')
    .groupBy('organization_id')
    .having((eb) => eb.fn.countAll(), '>', mostResolved)
    .execute();
  for (const { organization_id } of crowded) {
    const newest = await query
      .selectFrom('alert')
      .select('since')
      .where('organization_id', '=', organization_id)
      .where('state', '=', 'RESOLVED')
      .orderBy('since', 'desc')
      .limit(1)
      .offset(mostResolved)
      .executeTakeFirst();
    if (!newest) continue;
    const removed = await removeResolved(database, { organizationID: organization_id, since: newest.since });
    metrics.count('alerts_removed', { reason: 'count' }, removed);
  }
  await query.deleteFrom('alert_message').where('state', '!=', 'WAITING').where('created_at', '<', before).execute();
  await query
    .deleteFrom('alert_receiver')
    .where('confirmed_at', 'is', null)
    .where('asked_at', '<', now - confirmWithinMs)
    .execute();
}

async function removeResolved(
  { query }: Database,
  { before, organizationID, since }: { before?: number; organizationID?: number; since?: number },
): Promise<number> {
  for (let removed = 0; ; ) {
    const old = query
      .selectFrom('alert')
      .select('id')
      .where('state', '=', 'RESOLVED')
      .where('unsent', '=', '')
      .$if(before !== undefined, (rows) => rows.where('resolved_at', '<', before!))
      .$if(organizationID !== undefined, (rows) => rows.where('organization_id', '=', organizationID!))
      .$if(since !== undefined, (rows) => rows.where('since', '<=', since!))
      .limit(slice);
    const { numDeletedRows } = await query.deleteFrom('alert').where('id', 'in', old).executeTakeFirstOrThrow();
    removed += Number(numDeletedRows);
    if (Number(numDeletedRows) < slice) return removed;
  }
}
