import { recordLimits, refusal } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { countOf } from '../database/page.ts';

const kinds = {
  application: { called: 'applications', most: recordLimits.applications },
  api_key: { called: 'API keys', most: recordLimits.apiKeys },
  device_profile: { called: 'device-profiles', most: recordLimits.deviceProfiles },
  service_profile: { called: 'service-profiles', most: recordLimits.serviceProfiles },
  multicast_group: { called: 'multicast-groups', most: recordLimits.multicastGroups },
} as const;

export type LimitedTable = keyof typeof kinds;

/** Refuses one more record than its owner can have. Call it in the transaction that inserts the record. */
export async function refuseBeyondLimit(
  { query, kind }: Database,
  table: LimitedTable,
  { owner, id }: { owner: 'organization' | 'application'; id: number },
): Promise<void> {
  // Records of one owner are created one after the other. SQLite has one writer anyway.
  if (kind === 'postgres') await query.selectFrom(owner).select('id').where('id', '=', id).forUpdate().execute();
  const { called, most } = kinds[table];
  // One table name represents all: keys have both owners.
  const rows = query.selectFrom(table as 'api_key').where(`${owner}_id`, '=', id);
  if ((await countOf(rows)) >= most) throw refusal('TOO_MANY_RECORDS', { owner, most, called });
}
