import type { Configuration, NetworkServer } from '@hilltop/network-server';
import { RpcError } from '@hilltop/protobuf';
import type { Bus } from '../bus/bus.ts';
import { createEmbedded, type EmbeddedDependencies } from './embedded.ts';
import { regionOf } from './embedded-address.ts';
import type { EmbeddedNetworks } from './network-servers.ts';
import { watchRowChanges } from './row-changes.ts';
import type { GatewaySettings } from './settings.ts';
import { removeNetworkState } from './state.ts';
import { createUnknownGateways, type GatewayOrigin } from './unknown-gateways.ts';

export interface RunningEmbeddedNetworks extends EmbeddedNetworks {
  of: (networkServerID: number) => NetworkServer | undefined;
  /** Applies changes of another instance. */
  look: (networkServerID: number) => Promise<void>;
  /**
   * The network server of a gateway: where it is registered, else one that accepts unknown gateways. Null when there is
   * none, which is recorded.
   */
  networkServerOf: (gatewayID: string, from: GatewayOrigin) => Promise<NetworkServer | null>;
  /** Whether one of them has much more to process than usual. */
  isBehind: () => boolean;
  /** Each resumes what its last run did not finish. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

interface EmbeddedNetworksDependencies extends EmbeddedDependencies {
  config: Pick<GatewaySettings, 'listUnregistered'>;
  bus: Bus;
  /** Loads the configuration of a network server. */
  loadConfiguration: (networkServerID: number) => Promise<Configuration>;
}

/**
 * The network servers inside this process. They start and stop with their rows, and change with their radio settings.
 */
export async function createEmbeddedNetworks(
  dependencies: EmbeddedNetworksDependencies,
): Promise<RunningEmbeddedNetworks> {
  const { config, database, clock, metrics, bus, cluster, log } = dependencies;
  const unknownGateways = createUnknownGateways({
    now: () => clock.now(),
    onLeftOut: () => metrics.count('unknown_gateways_left_out'),
    isEnabled: config.listUnregistered,
  });
  const servers = new EmbeddedServers(dependencies);
  const running = servers.running;
  const onChange = (id: number) => servers.refresh(id);
  const changes = watchRowChanges({ database, bus, clock, log, onChange });
  await servers.openAll();

  return {
    of: (id) => running.get(id),
    look: onChange,
    refresh: async (id) => {
      await servers.refresh(id);
      bus.publish('network-server-changed', '', { id });
    },
    isRemote: (id) => !running.has(id),
    effectsOf: (id, configuration) => {
      const networkServer = running.get(id);
      if (!networkServer) throw new RpcError('Unavailable', 'The network-server is not running.');
      return networkServer.effectsOf(configuration);
    },
    forecastOf: async (id, devEUI) => (await running.get(id)?.forecastOf(devEUI)) ?? null,
    newActivationOf: async (id, devEUI) => (await running.get(id)?.newActivationOf(devEUI)) ?? null,
    enqueue: async (id, ...downlink) => (await running.get(id)?.enqueue(...downlink)) ?? null,
    cancel: async (id, devEUI, itemID, by) => (await running.get(id)?.cancel(devEUI, itemID, by)) ?? null,
    queuedFCnts: async (id, devEUI) => (await running.get(id)?.queuedFCnts(devEUI)) ?? null,
    simulatedRadioOf: async (id, devEUI) => running.get(id)?.simulatedRadioOf(devEUI),
    clockOffsetOf: async (id, gatewayID) => (await running.get(id)?.clockOffsetOf(gatewayID)) ?? null,
    connectionOf: (id, gatewayID) => running.get(id)?.connectionOf(gatewayID) ?? null,
    unknownGateways: () => unknownGateways.list(),
    ping: async (id, ping) => (await running.get(id)?.ping(ping)) ?? null,
    isBehind: () => running.values().some((networkServer) => networkServer.isBehind()),
    networkServerOf: (gatewayID, from) => networkServerOf(running, unknownGateways, gatewayID, from),
    start: async () => {
      for (const networkServer of running.values()) await networkServer.start();
      if (!cluster.isAlone) await changes.start();
    },
    stop: async () => {
      changes.stop();
      await servers.stop();
    },
  };
}

async function networkServerOf(
  running: ReadonlyMap<number, NetworkServer>,
  unknownGateways: ReturnType<typeof createUnknownGateways>,
  gatewayID: string,
  from: GatewayOrigin,
): Promise<NetworkServer | null> {
  for (const networkServer of running.values()) if (await networkServer.hasGateway(gatewayID)) return networkServer;
  unknownGateways.recordUnregistered(gatewayID, from);
  return running.values().find((networkServer) => networkServer.allowsUnknownGateways()) ?? null;
}

/** The network servers that run, by the id of their row. */
class EmbeddedServers {
  readonly running = new Map<number, NetworkServer>();
  /** Changes run one after the other, so that the last one stored takes effect. */
  #lastChange: Promise<void> = Promise.resolve();
  readonly #dependencies: EmbeddedNetworksDependencies;

  constructor(dependencies: EmbeddedNetworksDependencies) {
    this.#dependencies = dependencies;
  }

  async openAll(): Promise<void> {
    for (const row of await this.#rows().orderBy('id').execute()) await this.#open(row);
  }

  /** Starts, stops or configures a network server as its row says. */
  refresh(id: number): Promise<void> {
    const change = this.#lastChange.then(() => this.#refresh(id));
    this.#lastChange = change.catch(() => undefined);
    return change;
  }

  async stop(): Promise<void> {
    await this.#lastChange;
    for (const networkServer of this.running.values()) await networkServer.stop();
  }

  #rows() {
    return this.#dependencies.database.query.selectFrom('network_server').select(['id', 'server']);
  }

  async #open(row: { id: number; server: string }): Promise<NetworkServer | undefined> {
    const region = regionOf(row);
    if (region === undefined) return undefined;
    const configuration = await this.#dependencies.loadConfiguration(row.id);
    const networkServer = await createEmbedded(this.#dependencies, row.id, { region, configuration });
    this.running.set(row.id, networkServer);
    return networkServer;
  }

  async #refresh(id: number): Promise<void> {
    const { database, frames, loadConfiguration } = this.#dependencies;
    const known = this.running.get(id);
    const row = await this.#rows().where('id', '=', id).executeTakeFirst();
    if (known && row) return known.configure(await loadConfiguration(id));
    if (row) return (await this.#open(row))?.start();
    if (!known) return;
    this.running.delete(id);
    await known.stop();
    frames?.forget(id);
    // Removes state that it wrote while its row was deleted.
    await removeNetworkState(database, id);
  }
}
