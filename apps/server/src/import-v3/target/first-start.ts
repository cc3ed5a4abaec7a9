import type { Database } from '../../database/database.ts';
import { removeNetworkState } from '../../network/state.ts';
import { firstOrganization } from '../../resources/organization/first-organization.ts';

/** Tables of records that users create. A first start creates none of them. */
const tablesOfUsers = [
  'api_key',
  'gateway_profile',
  'service_profile',
  'device_profile',
  'application',
  'gateway',
] as const;

/**
 * Whether there are more records than a first start creates: an administrator, an organization and the network-servers
 * of the settings.
 */
export async function isInUse({ query }: Pick<Database, 'query'>): Promise<boolean> {
  for (const table of tablesOfUsers)
    if (await query.selectFrom(table).select('id').limit(1).executeTakeFirst()) return true;
  const users = await query.selectFrom('user').select('id').limit(2).execute();
  const organizations = await query.selectFrom('organization').select('name').limit(2).execute();
  if (users.length > 1 || organizations.length > 1 || organizations.some(({ name }) => name !== firstOrganization.name))
    return true;
  const entries = await query.selectFrom('registered_region').select('entry').execute();
  const networks = await query
    .selectFrom('network_server')
    .innerJoin('network_radio', 'network_server_id', 'network_server.id')
    .select(['network_server.created_at', 'network_server.updated_at', 'network_radio.updated_at as radio_updated_at'])
    .execute();
  const others = await query.selectFrom('network_server').select('id').execute();
  const isAsMade = networks.every(
    ({ created_at: made, updated_at: changed, radio_updated_at: tuned }) => +made === +changed && +made === +tuned,
  );
  return others.length !== networks.length || networks.length > entries.length || !isAsMade;
}

/** Removes the records of a first start before the import. Call it in a transaction. */
export async function clearFirstStart(database: Database): Promise<void> {
  const { query } = database;
  for (const { id } of await query.selectFrom('network_server').select('id').execute())
    await removeNetworkState(database, id);
  for (const table of ['network_server', 'organization', 'user'] as const) await query.deleteFrom(table).execute();
}
