import { isDevNonceCounter, type JoinRequest } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';

type Use = Pick<JoinRequest, 'devEUI' | 'joinEUI' | 'devNonce' | 'devAddr' | 'macVersion'>;

/**
 * The DevNonces of joins that external network servers requested. They share the table of the embedded ones, under the
 * network server of the device, so that a join-request counts once wherever it was received.
 */
export function devNonces({ query }: Database) {
  const usesOf = ({ devEUI, joinEUI }: Use) =>
    query
      .selectFrom('ns_activation')
      .where('dev_eui', '=', devEUI)
      .where('join_eui', '=', joinEUI)
      .where('join_type', '=', 'join');

  return {
    /**
     * Whether a device may join with the DevNonce: it was never used, and from LoRaWAN 1.0.4 on is higher than all
     * earlier ones.
     */
    async isFresh(use: Use): Promise<boolean> {
      const isCounter = use.macVersion !== '' && isDevNonceCounter(use);
      const used = await usesOf(use)
        .select('id')
        .where('dev_nonce', isCounter ? '>=' : '=', use.devNonce)
        .limit(1)
        .executeTakeFirst();
      return used === undefined;
    },
    /** False when another request has used it, or the device was deleted. */
    async use({ devEUI, joinEUI, devNonce, devAddr }: Use, at: number): Promise<boolean> {
      const device = await query
        .selectFrom('device')
        .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
        .select('device_profile.network_server_id')
        .where('device.dev_eui', '=', devEUI)
        .executeTakeFirst();
      if (!device) return false;
      const { numInsertedOrUpdatedRows } = await query
        .insertInto('ns_activation')
        .values({
          network_server_id: device.network_server_id,
          dev_eui: devEUI,
          join_eui: joinEUI,
          join_type: 'join',
          dev_nonce: devNonce,
          dev_addr: devAddr,
          at,
        })
        .onConflict((on) => on.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
  };
}

/** Deletes those of a device at a remote network server; an embedded one deletes its own. */
export async function forgetDevNonces({ query }: Database, devEUI: string): Promise<void> {
  // The index begins with the network server.
  const remote = query.selectFrom('network_server').select('id').where('server', 'not like', 'embedded:%');
  await query
    .deleteFrom('ns_activation')
    .where('network_server_id', 'in', remote)
    .where('dev_eui', '=', devEUI)
    .execute();
}
