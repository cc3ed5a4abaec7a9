import { createGatewayPaths, type SemtechUdp, startSemtechUdp } from '@hilltop/network-server';
import type { as } from '@hilltop/protobuf';
import type { Needs, Networks } from '../needs.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { regionOf } from '../resources/network-server/embedded.ts';
import { createApplicationServer } from './application-server.ts';
import { createCallbacks } from './callbacks.ts';
import { createEmbedded } from './embedded.ts';
import { createJoinServer } from './join-server.ts';
import { createRemoteNetworks } from './remote-networks.ts';

export interface RunningNetworks extends Networks {
  /** What remote network servers may call. */
  callbacks: as.ApplicationServerService;
  /** Finishes what the last run began, then listens for gateways; answers where. Rejects when the address cannot be had. */
  start(): Promise<{ host: string; port: number }>;
  /** Takes no more uplinks and resolves when those taken are written. */
  stop(): Promise<void>;
}

type Needed = Omit<Needs, 'networks' | 'enqueue' | 'delivery' | 'testSend' | 'principals' | 'singleSignOn' | 'mqtt'> & {
  outgoing: Outgoing;
};

/**
 * All registered network servers: one embedded per region of the settings, behind the row that registers it, and the
 * remote ones.
 */
export async function createNetworks(needs: Needed): Promise<RunningNetworks> {
  const { config, database, metrics, clock, log } = needs;
  const ofEvents = { ...needs, count: metrics.count };
  const applicationServer = createApplicationServer(ofEvents);
  const joinServer = createJoinServer(needs);
  const shared = { ...needs, gateways: createGatewayPaths(), joinServer, applicationServer };
  const rows = await database.query.selectFrom('network_server').select(['id', 'server']).execute();
  const embedded = new Map(
    rows.flatMap((row) => {
      const region = regionOf(row);
      const isWanted = region !== undefined && (config.region as readonly string[]).includes(region);
      return isWanted ? [[row.id, createEmbedded(shared, row.id, region)] as const] : [];
    }),
  );
  const remote = createRemoteNetworks(needs);
  let udp: SemtechUdp | undefined;

  async function networkServerOf(gatewayID: string) {
    for (const one of embedded.values()) if (await one.hasGateway(gatewayID)) return one;
    return null;
  }

  return {
    callbacks: createCallbacks(ofEvents, applicationServer),
    of: (id) => {
      const one = embedded.get(id);
      return one ? Promise.resolve(one.service) : remote.of(id);
    },
    start: async () => {
      for (const one of embedded.values()) await one.start();
      const { gateways } = shared;
      udp = await startSemtechUdp({ ...config.udp, networkServerOf, gateways, clock, log, count: metrics.count });
      return udp.address;
    },
    stop: async () => {
      await udp?.stop();
      remote.close();
      for (const one of embedded.values()) await one.stop();
    },
  };
}
