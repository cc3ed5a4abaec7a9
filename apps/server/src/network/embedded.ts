import {
  type AirtimeObserver,
  type ApplicationServer,
  type Clock,
  type Configuration,
  createNetworkServer,
  type DutyCycleUse,
  type GatewayPaths,
  type JoinServer,
  type NetworkServer,
  type ReportDownlink,
} from '@hilltop/network-server';
import { type ns, RpcError } from '@hilltop/protobuf';
import type { Logger } from 'pino';
import type { Certificates } from '../certificates/certificates.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { commonClock } from '../cluster/common-clock.ts';
import type { Database } from '../database/database.ts';
import type { Integrity } from '../database/integrity.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { Metrics } from '../metrics.ts';
import type { RedisConnection } from '../redis/connection.ts';
import type { Secrets } from '../secrets.ts';
import { createCrossInstanceDeduplication } from './cross-instance-deduplication.ts';
import { createJoinReports, type UnknownDevAddrs } from './join-reports.ts';
import type { PeerFrameLogsByNetwork } from './peer-frame-logs.ts';
import { createRandom } from './random.ts';
import { createNetworkState } from './state.ts';
import type { UnknownDevices } from './unknown-devices.ts';

export interface EmbeddedDependencies {
  certificates: Pick<Certificates, 'issueForGateway'>;
  cluster: Cluster;
  database: Database;
  /** Undefined for a single instance. */
  redis: RedisConnection | undefined;
  /** The id by which network servers know this application server. */
  routingProfileID: Uint8Array;
  secrets: Secrets;
  integrity: Pick<Integrity, 'refusesUplinks' | 'noteFailure'>;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  gateways: GatewayPaths;
  steadyTime: SteadyTime;
  joinServer: JoinServer;
  applicationServer: ApplicationServer;
  reportDownlink: ReportDownlink;
  unknownDevices: UnknownDevices;
  unknownDevAddrs: UnknownDevAddrs;
  airtime: AirtimeObserver;
  dutyCycleUse: DutyCycleUse;
  frames: PeerFrameLogsByNetwork | undefined;
}

/**
 * The network server of one region inside this process, with its state in our database. It knows the routing-profile
 * before it starts, because the API creates devices and gateways from then on.
 */
export async function createEmbedded(
  needs: EmbeddedDependencies,
  networkServerID: number,
  { region, configuration }: { region: string; configuration: Configuration },
): Promise<NetworkServer> {
  const { cluster, redis, gateways, joinServer, applicationServer, reportDownlink, metrics } = needs;
  const clock = commonClock(needs.clock, cluster);
  const network = createNetworkServer({
    region,
    ...configuration,
    state: createNetworkState({ ...needs, clock, crew: redis && cluster }, networkServerID),
    peerFrameLogs: needs.frames?.of(networkServerID),
    crossInstance:
      redis &&
      createCrossInstanceDeduplication(
        { redis, instanceID: cluster.id, cluster, clock, tokenKey: needs.secrets.tokenKey },
        networkServerID,
      ),
    applicationServer,
    reportDownlink,
    airtime: needs.airtime,
    dutyCycleUse: needs.dutyCycleUse,
    joinServer,
    joinReports: createJoinReports({ ...needs, clock }, { networkServerID, region }),
    gateways,
    clock,
    removalTime: () => needs.steadyTime.moveOn(),
    random: createRandom(),
    log: needs.log.child({ region }),
    count: (name, labels = {}, by = 1) => metrics.count(name, { ...labels, region }, by),
  });
  await introduce(network, needs.routingProfileID);
  return { ...network, service: { ...network.service, generateGatewayClientCertificate: certify(needs) } };
}

/** Issues certificates for gateways. All network servers of this process share one authority. */
function certify({ certificates }: EmbeddedDependencies): ns.NetworkServerService['generateGatewayClientCertificate'] {
  return async ({ id }) => {
    const { cert, key, ca, expiresAt } = await certificates.issueForGateway(id.toHex());
    const [tlsCert, tlsKey, caCert] = [cert, key, ca].map((pem) => new TextEncoder().encode(pem)) as PEMs;
    return { tlsCert, tlsKey, caCert, expiresAt };
  };
}

type PEMs = [Uint8Array, Uint8Array, Uint8Array];

/** Creates the routing-profile of this application server, which devices and gateways refer to. */
async function introduce({ service }: NetworkServer, id: Uint8Array): Promise<void> {
  try {
    const routingProfile = { id, asId: 'embedded', caCert: '', tlsCert: '', tlsKey: '' };
    await service.createRoutingProfile({ routingProfile });
  } catch (error) {
    if (!(error instanceof RpcError && error.code === 'AlreadyExists')) throw error;
  }
}
