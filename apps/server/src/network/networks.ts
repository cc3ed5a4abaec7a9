import { createGatewayPaths, type SemtechUdp, startSemtechUdp } from '@hilltop/network-server';
import { RpcError } from '@hilltop/protobuf';
import { deviceContexts } from '../events/device-context.ts';
import type { Reaction } from '../events/event.ts';
import { eventRecorder } from '../events/recorder.ts';
import type { Needs, Networks } from '../needs.ts';
import { regionOf } from '../resources/network-server/embedded.ts';
import { createApplicationServer } from './application-server.ts';
import { createEmbedded } from './embedded.ts';
import { createJoinServer } from './join-server.ts';

export interface RunningNetworks extends Networks {
  /** Finishes what the last run began, then listens for gateways; answers where. Rejects when the address cannot be had. */
  start(): Promise<{ host: string; port: number }>;
  /** Takes no more uplinks and resolves when those taken are written. */
  stop(): Promise<void>;
}

type Needed = Omit<Needs, 'networks' | 'principals'>;

/**
 * All registered network servers: one embedded per region of the settings, behind the row that registers it. `reactions`
 * write with each event, in its transaction.
 */
export async function createNetworks(needs: Needed, reactions: Reaction[] = []): Promise<RunningNetworks> {
  const { config, database, bus, statistics, metrics, clock, log } = needs;
  const recorder = eventRecorder({ database, bus, statistics, reactions, historySize: config.eventHistory });
  const shared = {
    ...needs,
    gateways: createGatewayPaths(),
    joinServer: createJoinServer(needs),
    applicationServer: createApplicationServer({
      ...needs,
      recorder,
      devices: deviceContexts(needs),
      count: metrics.count,
    }),
  };
  const rows = await database.query.selectFrom('network_server').select(['id', 'server']).execute();
  const embedded = new Map(
    rows.flatMap((row) => {
      const region = regionOf(row);
      const isWanted = region !== undefined && (config.region as readonly string[]).includes(region);
      return isWanted ? [[row.id, createEmbedded(shared, row.id, region)] as const] : [];
    }),
  );
  let udp: SemtechUdp | undefined;

  async function networkServerOf(gatewayID: string) {
    for (const one of embedded.values()) if (await one.hasGateway(gatewayID)) return one;
    return null;
  }

  return {
    of: (id) => {
      const one = embedded.get(id);
      if (one) return Promise.resolve(one.service);
      const reason = 'Only the embedded network-servers of the setting HILLTOP_REGION can be reached.';
      return Promise.reject(new RpcError('Unavailable', reason));
    },
    forget: () => {},
    start: async () => {
      for (const one of embedded.values()) await one.start();
      const { gateways } = shared;
      udp = await startSemtechUdp({ ...config.udp, networkServerOf, gateways, clock, log, count: metrics.count });
      return udp.address;
    },
    stop: async () => {
      await udp?.stop();
      for (const one of embedded.values()) await one.stop();
    },
  };
}
