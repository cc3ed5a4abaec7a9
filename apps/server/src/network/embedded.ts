import {
  type ApplicationServer,
  type Configuration,
  createNetworkServer,
  type GatewayPaths,
  type JoinServer,
  type NetworkServer,
} from '@hilltop/network-server';
import { type ns, RpcError } from '@hilltop/protobuf';
import { commonClock } from '../cluster/common-clock.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { Needs } from '../needs.ts';
import { createCrossInstanceDeduplication } from './cross-instance-deduplication.ts';
import type { FramesElsewhere } from './frames-elsewhere.ts';
import { createRandom } from './random.ts';
import { createNetworkState } from './state.ts';

type EmbeddedDependencies = Pick<
  Needs,
  'certificates' | 'cluster' | 'database' | 'redis' | 'routingProfileID' | 'secrets' | 'clock' | 'log' | 'metrics'
> & {
  gateways: GatewayPaths;
  steadyTime: SteadyTime;
  joinServer: JoinServer;
  applicationServer: ApplicationServer;
  frames: FramesElsewhere | undefined;
};

/** The network server of one region inside this process, with its state in our database. */
export function createEmbedded(
  needs: EmbeddedDependencies,
  networkServerID: number,
  { region, configuration }: { region: string; configuration: Configuration },
): NetworkServer {
  const { cluster, redis, gateways, joinServer, applicationServer, metrics } = needs;
  const clock = commonClock(needs.clock, cluster);
  const network = createNetworkServer({
    region,
    ...configuration,
    state: createNetworkState({ ...needs, clock, crew: redis && cluster }, networkServerID),
    framesElsewhere: needs.frames?.of(networkServerID),
    crossInstance:
      redis &&
      createCrossInstanceDeduplication(
        { redis, instanceID: cluster.id, cluster, clock, tokenKey: needs.secrets.tokenKey },
        networkServerID,
      ),
    applicationServer,
    joinServer,
    gateways,
    clock,
    removalTime: () => needs.steadyTime.moveOn(),
    random: createRandom(),
    log: needs.log.child({ region }),
    count: (name, labels = {}, by = 1) => metrics.count(name, { ...labels, region }, by),
  });
  return {
    ...network,
    service: { ...network.service, generateGatewayClientCertificate: certify(needs) },
    start: async () => {
      await introduce(network, needs.routingProfileID);
      await network.start();
    },
  };
}

/** The authority of gateways is the whole server's, whichever of its network servers a gateway is at. */
function certify({ certificates }: EmbeddedDependencies): ns.NetworkServerService['generateGatewayClientCertificate'] {
  return async ({ id }) => {
    const { cert, key, ca, expiresAt } = await certificates.issueForGateway(id.toHex());
    const [tlsCert, tlsKey, caCert] = [cert, key, ca].map((pem) => new TextEncoder().encode(pem)) as PEMs;
    return { tlsCert, tlsKey, caCert, expiresAt };
  };
}

type PEMs = [Uint8Array, Uint8Array, Uint8Array];

/** Devices and gateways name a routing-profile: the one that leads here must be known before any of them. */
async function introduce({ service }: NetworkServer, id: Uint8Array): Promise<void> {
  try {
    const routingProfile = { id, asId: 'embedded', caCert: '', tlsCert: '', tlsKey: '' };
    await service.createRoutingProfile({ routingProfile });
  } catch (error) {
    if (!(error instanceof RpcError && error.code === 'AlreadyExists')) throw error;
  }
}
