import type { GatewayPaths, JoinServer, NetworkServer } from '@hilltop/network-server';
import { RpcError } from '@hilltop/protobuf';
import type { SteadyTime } from '../database/steady-time.ts';
import type { Needs } from '../needs.ts';
import { regionOf } from '../resources/network-server/embedded.ts';
import { configurationOf } from '../resources/radio/configuration.ts';
import { loadRadioSettings } from '../resources/radio/store.ts';
import type { createApplicationServer } from './application-server.ts';
import { createEmbedded } from './embedded.ts';
import type { FramesElsewhere } from './frames-elsewhere.ts';
import type { EmbeddedNetworks } from './network-servers.ts';
import { removeNetworkState } from './state.ts';
import { createUnknownGateways, type GatewayOrigin } from './unknown-gateways.ts';

export interface RunningEmbeddedNetworks extends EmbeddedNetworks {
  of: (networkServerID: number) => NetworkServer | undefined;
  /** Takes note of what another instance changed. */
  look: (networkServerID: number) => Promise<void>;
  /** The one a gateway is registered at, else one that hears unknown ones; null: nobody does, which is noted. */
  networkServerOf: (gatewayID: string, from: GatewayOrigin) => Promise<NetworkServer | null>;
  /** Whether one of them has much more to process than usual. */
  isBehind: () => boolean;
  /** Each begins with what its last run left. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

type EmbeddedNetworksDependencies = Pick<
  Needs,
  | 'certificates'
  | 'cluster'
  | 'config'
  | 'database'
  | 'bus'
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

const lookAgainMs = 5_000;

/** The network servers inside this process. They come and go with their rows, and change with their radio settings. */
export async function createEmbeddedNetworks(needs: EmbeddedNetworksDependencies): Promise<RunningEmbeddedNetworks> {
  const { config, database, clock, metrics, bus, cluster, log } = needs;
  const running = new Map<number, NetworkServer>();
  const strangers = createUnknownGateways({
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

  function inTurn(id: number): Promise<void> {
    const mine = last.then(() => refresh(id));
    last = mine.catch(() => undefined);
    return mine;
  }

  // What other instances change

  const failed = (error: unknown) => log.error({ err: error }, 'a network-server that changed could not be read');
  /** By id: when what it works by was written, as it was when somebody looked. */
  let seen = new Map<number, string>();
  let cancelLook: () => void = () => undefined;
  let unhook: () => void = () => undefined;
  let isStopped = false;

  async function writtenAt(): Promise<Map<number, string>> {
    const all = await rows()
      .leftJoin('network_radio', 'network_radio.network_server_id', 'network_server.id')
      .select('network_radio.updated_at')
      .execute();
    return new Map(all.map(({ id, updated_at }) => [id, updated_at?.toISOString() ?? '']));
  }

  /** Messages may be lost. */
  async function lookAgain(): Promise<void> {
    const now = await writtenAt();
    const before = seen;
    seen = now;
    const changed = new Set([...before.keys(), ...now.keys()]).values().filter((id) => before.get(id) !== now.get(id));
    for (const id of changed) await inTurn(id);
  }

  function keepLooking(): void {
    if (isStopped) return;
    cancelLook = clock.after(lookAgainMs, () => void lookAgain().catch(failed).finally(keepLooking));
  }

  for (const row of await rows().orderBy('id').execute()) await open(row);

  return {
    of: (id) => running.get(id),
    look: inTurn,
    refresh: async (id) => {
      await inTurn(id);
      bus.publish('network-server-changed', '', { id });
    },
    effectsOf: (id, configuration) => {
      const one = running.get(id);
      if (!one) throw new RpcError('Unavailable', 'The network-server is not running.');
      return one.effectsOf(configuration);
    },
    outlookOf: async (id, devEUI) => (await running.get(id)?.outlookOf(devEUI)) ?? null,
    newActivationOf: async (id, devEUI) => (await running.get(id)?.newActivationOf(devEUI)) ?? null,
    clockOffsetOf: async (id, gatewayID) => (await running.get(id)?.clockOffsetOf(gatewayID)) ?? null,
    unknownGateways: () => strangers.list(),
    ping: async (id, ping) => (await running.get(id)?.ping(ping)) ?? null,
    isBehind: () => running.values().some((one) => one.isBehind()),
    networkServerOf: async (gatewayID, from) => {
      for (const one of running.values()) if (await one.hasGateway(gatewayID)) return one;
      strangers.recordUnregistered(gatewayID, from);
      for (const one of running.values()) if (one.allowsUnknownGateways()) return one;
      return null;
    },
    start: async () => {
      for (const one of running.values()) await one.start();
      if (cluster.isAlone) return;
      unhook = await bus.subscribeToPeers('network-server-changed', '', ({ id }) => void inTurn(id).catch(failed));
      seen = await writtenAt();
      keepLooking();
    },
    stop: async () => {
      isStopped = true;
      unhook();
      cancelLook();
      await last;
      for (const one of running.values()) await one.stop();
    },
  };
}
