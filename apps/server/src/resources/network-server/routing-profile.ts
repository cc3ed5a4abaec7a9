import { type ns, RpcError } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import { uuidBytes } from '../../identifiers.ts';
import { openKey } from '../../network/tls-keys.ts';
import type { Secrets } from '../../secrets.ts';
import type { NetworkServerRow } from './store.ts';

/** The id by which network servers know this application server. Devices and gateways refer to it. */
export async function loadRoutingProfileID({ query }: Database): Promise<Uint8Array> {
  const { application_server_id } = await query.selectFrom('installation').selectAll().executeTakeFirstOrThrow();
  return uuidBytes(application_server_id);
}

/** How a network server calls an application server: id, address and certificates. */
export const routingProfileOf = (
  secrets: Secrets,
  row: NetworkServerRow,
  { id, asId }: Pick<ns.RoutingProfile, 'id' | 'asId'>,
): ns.RoutingProfile => ({
  id,
  asId,
  caCert: row.routing_profile_ca_cert,
  tlsCert: row.routing_profile_tls_cert,
  tlsKey: openKey(secrets, row, 'routing_profile_tls_key'),
});

/** Makes a network server call another address. Rejects with RpcError. */
export async function replaceRoutingProfile(
  network: ns.NetworkServerService,
  routingProfile: ns.RoutingProfile,
): Promise<void> {
  try {
    await network.updateRoutingProfile({ routingProfile });
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== 'NotFound') throw error;
    await network.createRoutingProfile({ routingProfile });
  }
}
