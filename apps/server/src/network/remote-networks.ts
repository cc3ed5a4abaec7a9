import { createHash } from 'node:crypto';
import { type ns, RpcError } from '@hilltop/protobuf';
import type { Needs } from '../needs.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { isEmbedded } from '../resources/network-server/embedded.ts';
import { openKey } from '../resources/network-server/keys.ts';
import type { RemoteNetworkServer } from './grpc.ts';
import type { RemoteAddress } from './grpc-connection.ts';
import { inRehearsals } from './rehearsal.ts';

export interface RemoteNetworks {
  /** By the id of its row, with the address and certificates the row has now. */
  of: (networkServerID: number) => Promise<ns.NetworkServerService>;
  close: () => void;
}

/**
 * The network servers elsewhere. A connection belongs to an address with its certificates, so that a changed row gets a
 * new one and nobody's calls are cut off; those that nobody uses any more close by themselves.
 */
export function createRemoteNetworks({
  database,
  secrets,
  outgoing,
}: Pick<Needs, 'database' | 'secrets'> & { outgoing: Outgoing }): RemoteNetworks {
  const kept = new Map<string, RemoteNetworkServer>();

  async function addressOf(id: number): Promise<RemoteAddress> {
    const columns = ['id', 'server', 'ca_cert', 'tls_cert', 'tls_key', 'routing_profile_tls_key'] as const;
    const rows = database.query.selectFrom('network_server').select(columns).where('id', '=', id);
    const row = await rows.executeTakeFirst();
    if (!row) throw new RpcError('NotFound', `There is no network-server ${id}.`);
    if (isEmbedded(row)) throw new RpcError('Unavailable', `${row.server} is not running.`);
    const { server, ca_cert: caCert, tls_cert: tlsCert } = row;
    return { server, caCert, tlsCert, tlsKey: openKey(secrets, row, 'tls_key') };
  }

  function introduce(name: string, { service, ...connection }: RemoteNetworkServer): RemoteNetworkServer {
    for (const [old, { isConnected }] of kept) if (!isConnected()) kept.delete(old);
    const one = { ...connection, service: inRehearsals(name, service) };
    kept.set(name, one);
    return one;
  }

  return {
    of: async (id) => {
      const address = await addressOf(id);
      const name = createHash('sha256')
        .update(JSON.stringify(Object.values(address)))
        .digest('base64');
      // Loading gRPC takes a tenth of a second that a start without remote network servers can do without.
      const { remoteNetworkServer } = await import('./grpc.ts');
      return (kept.get(name) ?? introduce(name, remoteNetworkServer(address, outgoing))).service;
    },
    close: () => {
      for (const { close } of kept.values()) close();
    },
  };
}
