import type { GatewayPaths, JoinServer, NetworkServer } from '@hilltop/network-server';
import { RpcError } from '@hilltop/protobuf';
import type { SteadyTime } from '../database/steady-time.ts';
import type { EmbeddedNetworks, Needs } from '../needs.ts';
import { regionOf } from '../resources/network-server/embedded.ts';
import { configurationOf } from '../resources/radio/configuration.ts';
import { loadRadioSettings } from '../resources/radio/store.ts';
import type { createApplicationServer } from './application-server.ts';
import { createEmbedded } from './embedded.ts';
import type { FramesElsewhere } from './frames-elsewhere.ts';
import { removeNetworkState } from './state.ts';
import { createStrangers, type From } from './strangers.ts';

export interface RunningEmbeddedNetworks extends EmbeddedNetworks {
  of: (networkServerID: number) => NetworkServer | undefined;
  /** The one a gateway is registered at, else one that hears unknown ones; null: nobody does, which is noted. */
  networkServerOf: (gatewayID: string, from: From) => Promise<NetworkServer | null>;
  /** Each begins with what its last run left. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

type Needed = Pick<
  Needs,
  | 'certificates'
  | 'cluster'
  | 'config'
  | 'database'
  | 'redis'
  | 'routingProfileID'
  | 'secrets'
  | 'clock'
  | 'log'
  | 'metrics'
> & {
  gateways: GatewayPaths;
  steadyTime: SteadyTime;
  joinServer: JoinServer;
  applicationServer: ReturnType<typeof createApplicationServer>;
  frames: FramesElsewhere | undefined;
};

/** The network servers inside this process. They come and go with their rows, and change with their radio settings. */
export async function createEmbeddedNetworks(needs: Needed): Promise<RunningEmbeddedNetworks> {
  const { config, database, clock, metrics } = needs;
  const running = new Map<number, NetworkServer>();
  const strangers = createStrangers({
    now: () => clock.now(),
    onLeftOut: () => metrics.count('unknown_gateways_left_out'),
  });
  /** Changes follow each other, so that the last one stored is the one that holds. */
  let last: Promise<void> = Promise.resolve();

  const rows = () => database.query.selectFrom('network_server').select(['id', 'server']);
  const configured = async (id: number) => configurationOf(config, await loadRadioSettings(database, id));

  async function open(row: { id: number; server: string }): Promise<NetworkServer | undefined> {
    const region = regionOf(row);
    if (region === undefined) return undefined;
    const one = createEmbedded(needs, row.id, { region, configuration: await configured(row.id) });
    running.set(row.id, one);
    return one;
  }

  async function refresh(id: number): Promise<void> {
    const known = running.get(id);
    const row = await rows().where('id', '=', id).executeTakeFirst();
    if (known && row) return known.configure(await configured(id));
    if (row) return (await open(row))?.start();
    if (!known) return;
    running.delete(id);
    await known.stop();
    needs.frames?.forget(id);
    // What it took while its row went.
    await removeNetworkState(database, id);
  }

  for (const row of await rows().orderBy('id').execute()) await open(row);

  return {
    of: (id) => running.get(id),
    refresh: (id) => {
      const mine = last.then(() => refresh(id));
      last = mine.catch(() => undefined);
      return mine;
    },
    effectsOf: (id, configuration) => {
      const one = running.get(id);
      if (!one) throw new RpcError('Unavailable', 'The network-server is not running.');
      return one.effectsOf(configuration);
    },
    outlookOf: async (id, devEUI) => (await running.get(id)?.outlookOf(devEUI)) ?? null,
    unknownGateways: () => strangers.list(),
    ping: async (id, ping) => (await running.get(id)?.ping(ping)) ?? null,
    networkServerOf: async (gatewayID, from) => {
      for (const one of running.values()) if (await one.hasGateway(gatewayID)) return one;
      strangers.knock(gatewayID, from);
      for (const one of running.values()) if (one.allowsUnknownGateways()) return one;
      return null;
    },
    start: async () => {
      for (const one of running.values()) await one.start();
    },
    stop: async () => {
      for (const one of running.values()) await one.stop();
    },
  };
}
