import { createHash } from 'node:crypto';
import { type ns, RpcError } from '@hilltop/protobuf';
import type { Database } from '../database/database.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { Secrets } from '../secrets.ts';
import { isEmbedded } from './embedded-address.ts';
import type { RemoteNetworkServer } from './grpc.ts';
import type { RemoteAddress } from './grpc-connection.ts';
import { inRehearsals } from './rehearsal.ts';
import { openKey } from './tls-keys.ts';

export interface RemoteNetworks {
  /** The network server by the id of its row, with its current address and certificates. */
  of: (networkServerID: number) => Promise<ns.NetworkServerService>;
  close: () => void;
}

interface RemoteNetworksDependencies {
  database: Database;
  secrets: Secrets;
  outgoing: Outgoing;
}

/**
 * The remote network servers. A connection belongs to an address with its certificates: a changed row gets a new one,
 * and calls under way continue on the old one. Unused connections are closed.
 */
export function createRemoteNetworks({ database, secrets, outgoing }: RemoteNetworksDependencies): RemoteNetworks {
  const connections = new Map<string, RemoteNetworkServer>();

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
    for (const [old, { isConnected }] of connections) if (!isConnected()) connections.delete(old);
    const introduced = { ...connection, service: inRehearsals(name, service) };
    connections.set(name, introduced);
    return introduced;
  }

  return {
    of: async (id) => {
      const address = await addressOf(id);
      const name = createHash('sha256')
        .update(JSON.stringify(Object.values(address)))
        .digest('base64');
      // Loading gRPC takes a tenth of a second, which a start without remote network servers avoids.
      const { remoteNetworkServer } = await import('./grpc.ts');
      return (connections.get(name) ?? introduce(name, remoteNetworkServer(address, outgoing))).service;
    },
    close: () => {
      for (const { close } of connections.values()) close();
    },
  };
}
