import { notFound, refusal } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * The number of gateways and devices of an organization, and its limits. One conditional update increments the count,
 * so that two creations at once cannot both take the last one.
 */

const counted = {
  gateway: { count: 'gateway_count', max: 'max_gateway_count' },
  device: { count: 'device_count', max: 'max_device_count' },
} as const;
type Counted = keyof typeof counted;

const claimOf = ({ count, max }: (typeof counted)[Counted]) =>
  statement()({
    sql: ({ from }) => `update organization set ${count} = ${count} + $more ${from}
      where id = $id and (${max} = 0 or ${count} + $more <= ${max})`,
    given: { id: 'int8', more: 'int8' },
    // When not all fit, each is tried separately.
    batch: { rowKey: 'id', sumOf: 'more' },
  });

const claims = { gateway: claimOf(counted.gateway), device: claimOf(counted.device) };

/** Increments the count. Throws code 9 when the limit of the organization is reached. */
export async function claimQuota(database: Database, organizationID: number, what: Counted): Promise<void> {
  if ((await claims[what](database).run({ id: organizationID, more: 1 })) > 0) return;
  const { max } = counted[what];
  const organization = await database.query
    .selectFrom('organization')
    .select(max)
    .where('id', '=', organizationID)
    .executeTakeFirst();
  if (!organization) throw notFound('organization', String(organizationID));
  const limit = `${organization[max]} ${what}${organization[max] === 1 ? '' : 's'}`;
  throw refusal('LIMIT_REACHED', { limit });
}

/** Decrements the count. */
export async function releaseQuota(
  { query }: Database,
  organizationID: number,
  what: Counted,
  places: number,
): Promise<void> {
  const { count } = counted[what];
  await query
    .updateTable('organization')
    .set((eb) => ({ [count]: eb(count, '-', places) }))
    .where('id', '=', organizationID)
    .execute();
}
