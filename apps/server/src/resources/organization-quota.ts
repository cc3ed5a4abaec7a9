import { notFound, refusal } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { perDatabase, prepare } from '../database/prepared.ts';

/**
 * How many gateways and devices an organization has and may have. The count is claimed by one guarded update, so that
 * two creations at once cannot both take the last place.
 */

const counted = {
  gateway: { count: 'gateway_count', max: 'max_gateway_count' },
  device: { count: 'device_count', max: 'max_device_count' },
} as const;
type Counted = keyof typeof counted;

const claimOf = (database: Database, { count, max }: (typeof counted)[Counted]) =>
  prepare<{ id: number; more: number }>()(
    database,
    (query, $) =>
      query
        .updateTable('organization')
        .set((eb) => ({ [count]: eb(count, '+', $.more) }))
        .where('id', '=', $.id)
        .where((eb) => eb.or([eb(max, '=', 0), eb(eb(count, '+', $.more), '<=', eb.ref(max))])),
    // Where not all have a place each tries alone.
    { isBatched: true, rowKey: 'id', sumOf: 'more' },
  );

const claims = perDatabase((database) => ({
  gateway: claimOf(database, counted.gateway),
  device: claimOf(database, counted.device),
}));

/** Counts one more. Throws code 9 when the organization's limit is reached. */
export async function claimPlace(database: Database, organizationID: number, what: Counted): Promise<void> {
  if ((await claims(database)[what].run({ id: organizationID, more: 1 })) > 0) return;
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

/** Counts some fewer. */
export async function releasePlaces(
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
