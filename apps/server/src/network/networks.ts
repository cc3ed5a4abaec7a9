import {
  type Configuration,
  createGatewayPaths,
  type GatewaySigns,
  type JoinServer,
  type MqttGateways,
  type SemtechUdp,
  startMqttGateways,
  startSemtechUdp,
} from '@hilltop/network-server';
import { type as, type gw, RpcError } from '@hilltop/protobuf';
import type { Certificates } from '../certificates/certificates.ts';
import type { EventDependencies } from '../events/event-dependencies.ts';
import type { Metrics } from '../metrics.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { cannotListen } from '../start-error.ts';
import { createApplicationServer } from './application-server.ts';
import { joinServerByJoinEUI } from './backend-interfaces/by-join-eui.ts';
import { createCallbacks } from './callbacks.ts';
import { DutyCycleRecords } from './duty-cycle-records.ts';
import type { EmbeddedDependencies } from './embedded.ts';
import { createEmbeddedNetworks, type RunningEmbeddedNetworks } from './embedded-networks.ts';
import { createJoinServer } from './join-server.ts';
import type { JournalOnlyGateways } from './journal-only-gateways.ts';
import type { Networks } from './network-servers.ts';
import { createPeerFrameLogs } from './peer-frame-logs.ts';
import { createPeerGatewayPaths } from './peer-gateway-paths.ts';
import { createRemoteNetworks } from './remote-networks.ts';
import { type StationListener, type StationListenerDependencies, startStationListener } from './station-listener.ts';
import type { GatewayLinkKind } from './unknown-gateways.ts';

export interface RunningNetworks extends Networks {
  /** The service for remote network servers. */
  callbacks: as.ApplicationServerService;
  /** Accepts messages of gateways by MQTT, which are processed after the network servers have started. */
  bridge: Pick<MqttGateways, 'take' | 'gone'>;
  /** The number of gateways that are connected to this process. */
  gatewayCount(): number;
  /** The join server with the root keys of registered devices. */
  joinServer: JoinServer;
  /**
   * Finishes the work of the last run, then listens for gateways. Throws StartError when an address cannot be bound.
   */
  start(): Promise<GatewayPorts>;
  /** Accepts no more uplinks and resolves when the accepted ones are written. */
  stop(): Promise<void>;
}

/** The bound ports, also when port 0 was configured. */
export interface GatewayPorts {
  udp: number;
  /** Undefined when Basics Stations are disabled. */
  basicsStation: number | undefined;
}

interface NetworksDependencies
  extends EventDependencies,
    Omit<
      EmbeddedDependencies,
      'gateways' | 'joinServer' | 'applicationServer' | 'reportDownlink' | 'frames' | 'dutyCycleUse'
    >,
    StationListenerDependencies {
  config: StationListenerDependencies['config'] & {
    listUnregistered: boolean;
    udp: ListenAddress;
    basicsStation: ListenAddress | null;
    joinServers: Parameters<typeof joinServerByJoinEUI>[1];
  };
  certificates: Certificates;
  metrics: Metrics;
  outgoing: Outgoing;
  gatewaySigns: GatewaySigns & { received(gatewayID: string, link: 'remote'): void };
  /** Loads the configuration of an embedded network server. */
  loadConfiguration: (networkServerID: number) => Promise<Configuration>;
  /** The UDP port, when it was bound before. */
  journalOnly: JournalOnlyGateways | undefined;
}

interface ListenAddress {
  host: string;
  port: number;
}

/** All registered network servers: the embedded ones, each with its row, and the remote ones. */
export async function createNetworks(needs: NetworksDependencies): Promise<RunningNetworks> {
  const { config, metrics, clock, log, journalOnly, bus, cluster, redis } = needs;
  const ofEvents = { ...needs, count: metrics.count };
  const applicationServer = createApplicationServer(ofEvents);
  const ownJoinServer = createJoinServer(needs);
  const ofJoins = { envelopes: needs.keyEnvelopes, log, count: metrics.count };
  const joinServer = await joinServerByJoinEUI(ownJoinServer, config.joinServers, ofJoins);
  const peerPaths = redis && createPeerGatewayPaths({ bus, instanceID: cluster.id, clock, count: metrics.count });
  const frames = redis && createPeerFrameLogs({ bus, instanceID: cluster.id });
  const stopWatchingPeers = cluster.onChange(() => peerPaths?.live(cluster.live()));
  const gateways = journalOnly?.gateways ?? createGatewayPaths(peerPaths);
  const reportDownlink = needs.downlinkSteps.report;
  const dutyCycle = new DutyCycleRecords(needs);
  const dutyCycleUse = dutyCycle.use;
  const shared = { ...needs, gateways, joinServer, applicationServer, reportDownlink, frames, dutyCycleUse };
  const embedded = await createEmbeddedNetworks(shared);
  const remote = createRemoteNetworks(needs);
  const links = new GatewayLinks(needs, { gateways, embedded });

  /** Handles the TX acknowledgement of a gateway at another instance for a downlink of this one. */
  function transmitted(ack: gw.DownlinkTXAck): void {
    embedded
      .networkServerOf(ack.gatewayID.toHex(), { way: 'semtech-udp' })
      .then((network) => network?.transmitted(ack))
      .catch((error: unknown) => log.error({ err: error }, 'What became of a downlink could not be noted.'));
  }

  return {
    joinServer: ownJoinServer,
    gatewayCount: () => gateways.count(),
    callbacks: createCallbacks(ofEvents, applicationServer, (id) => needs.gatewaySigns.received(id, 'remote')),
    of: async (id) => {
      const one = embedded.of(id);
      if (one) return one.service;
      try {
        return await remote.of(id);
      } catch (error) {
        // Another instance may have created it a moment ago.
        if (!cluster.isAlone && error instanceof RpcError && error.code === 'Unavailable') await embedded.look(id);
        const added = embedded.of(id);
        if (!added) throw error;
        return added.service;
      }
    },
    embedded,
    bridge: links,
    start: async () => {
      await dutyCycle.start();
      await peerPaths?.start(transmitted);
      await embedded.start();
      return links.start();
    },
    stop: async () => {
      await links.stop();
      stopWatchingPeers();
      peerPaths?.stop();
      frames?.stop();
      remote.close();
      await embedded.stop();
      await dutyCycle.stop();
      joinServer.close();
    },
  };
}

interface LinkDependencies {
  gateways: ReturnType<typeof createGatewayPaths>;
  embedded: Pick<RunningEmbeddedNetworks, 'networkServerOf' | 'isBehind'>;
}

/** The links to gateways, by their kind. */
class GatewayLinks {
  readonly #needs: NetworksDependencies;
  readonly #parts: LinkDependencies;
  readonly #mqttStarted = Promise.withResolvers<MqttGateways>();
  #udp: SemtechUdp | undefined;
  #mqtt: MqttGateways | undefined;
  #stations: StationListener | undefined;

  constructor(needs: NetworksDependencies, parts: LinkDependencies) {
    this.#needs = needs;
    this.#parts = parts;
  }

  async take(...[client, message]: Parameters<MqttGateways['take']>): Promise<void> {
    return (await this.#mqttStarted.promise).take(client, message);
  }

  gone(...[client]: Parameters<MqttGateways['gone']>): void {
    this.#mqtt?.gone(client);
  }

  async start(): Promise<GatewayPorts> {
    const { config, journalOnly } = this.#needs;
    const bySemtech = this.#dependenciesOf('semtech-udp');
    this.#udp = journalOnly
      ? journalOnly.handOver(bySemtech)
      : await listenForGateways({ ...config.udp, ...bySemtech });
    this.#mqtt = startMqttGateways(this.#dependenciesOf('mqtt'));
    this.#mqttStarted.resolve(this.#mqtt);
    const { basicsStation } = config;
    this.#stations = basicsStation
      ? await startStationListener(basicsStation, this.#needs, this.#dependenciesOf('basics-station'))
      : undefined;
    return { udp: this.#udp.address.port, basicsStation: this.#stations?.port };
  }

  async stop(): Promise<void> {
    await Promise.all([(this.#udp ?? this.#needs.journalOnly)?.stop(), this.#stations?.stop(), this.#mqtt?.stop()]);
  }

  #dependenciesOf(way: GatewayLinkKind) {
    const { gatewaySigns: signs, clock, log, metrics } = this.#needs;
    const { gateways, embedded } = this.#parts;
    return {
      networkServerOf: (gatewayID: string, address?: string) => embedded.networkServerOf(gatewayID, { way, address }),
      ...{ gateways, signs, clock, log, count: metrics.count, isBehind: embedded.isBehind },
    };
  }
}

function listenForGateways(needs: Parameters<typeof startSemtechUdp>[0]): Promise<SemtechUdp> {
  return startSemtechUdp(needs).catch((error: unknown) => {
    throw cannotListen('HILLTOP_UDP', needs, error);
  });
}
