import type { Database } from '../../database/database.ts';

/** What joins have used up: neither a DevNonce nor a JoinNonce is accepted twice, on whichever server the device joins. */
export interface UsedNonces {
  /** The last JoinNonce; null: unknown. */
  joinNonce: number | null;
  devNonces: readonly { joinEUI: string; devNonce: number }[];
}

/** The newest ones are exported: a cell must not become longer than an import reads. */
const mostExported = 1000;

/** The nonces of some devices, oldest first. */
export async function loadUsedNonces({ query }: Database, devEUI: string): Promise<UsedNonces> {
  const keys = query.selectFrom('device_keys').select('join_nonce').where('dev_eui', '=', devEUI);
  const newest = await query
    .selectFrom('ns_activation')
    .select(['join_eui as joinEUI', 'dev_nonce as devNonce'])
    .where('network_server_id', '=', networkServerOf({ query }, devEUI))
    .where('dev_eui', '=', devEUI)
    .where('join_type', '=', 'join')
    .orderBy('id', 'desc')
    .limit(mostExported)
    .execute();
  return { joinNonce: (await keys.executeTakeFirst())?.join_nonce ?? null, devNonces: newest.reverse() };
}

/** Adds nonces that were used at another server. The JoinNonce is never decremented. */
export async function addUsedNonces(
  { query }: Database,
  devEUI: string,
  { joinNonce, devNonces }: UsedNonces,
): Promise<void> {
  if (joinNonce !== null)
    await query
      .updateTable('device_keys')
      .set({ join_nonce: joinNonce })
      .where('dev_eui', '=', devEUI)
      .where('join_nonce', '<', joinNonce)
      .execute();
  if (devNonces.length === 0) return;
  const { network_server_id } = await networkServerOf({ query }, devEUI).executeTakeFirstOrThrow();
  // The time matters only for copies of a join-request that are under way.
  const use = { network_server_id, dev_eui: devEUI, join_type: 'join', dev_addr: '00000000', at: 0 };
  await query
    .insertInto('ns_activation')
    .values(devNonces.map(({ joinEUI, devNonce }) => ({ ...use, join_eui: joinEUI, dev_nonce: devNonce })))
    .onConflict((on) => on.doNothing())
    .execute();
}

const networkServerOf = ({ query }: Pick<Database, 'query'>, devEUI: string) =>
  query
    .selectFrom('device')
    .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
    .select('device_profile.network_server_id')
    .where('device.dev_eui', '=', devEUI);
