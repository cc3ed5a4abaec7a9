import type { Database } from '../../database/database.ts';

/** Of these gateways, those of the organization: their names by ID. */
export async function namesOfOwnGateways(
  { query }: Pick<Database, 'query'>,
  organizationID: number,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(ids)];
  if (asked.length === 0) return new Map();
  const rows = await query
    .selectFrom('gateway')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationID)
    .where('id', 'in', asked)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
