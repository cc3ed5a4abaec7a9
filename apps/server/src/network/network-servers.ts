import type {
  Cancellation,
  Configuration,
  DownlinkForecast,
  GatewayConnection,
  NetworkServer,
  PingOutcome,
  SettingsEffects,
  SimulatedRadio,
} from '@hilltop/network-server';
import type { as, ns } from '@hilltop/protobuf';
import type { UnknownGateway } from './unknown-gateways.ts';

/** The registered network servers, each as a client of the `ns` service. */
export interface Networks {
  /**
   * The client of one network server, by the id of its `network_server` row. Its calls reject with RpcError. Inside
   * `database.transaction` an embedded network server writes into the same transaction. A remote one is called between
   * two runs of the transaction, so every run must make the same calls: create ids before the transaction.
   */
  of: (networkServerID: number) => Promise<ns.NetworkServerService>;
  embedded: EmbeddedNetworks;
}

/** The network servers that run inside this process, by the ids of their `network_server` rows. */
export interface EmbeddedNetworks {
  /** Starts, reconfigures or stops a network server according to its stored row. Call it after the row is committed. */
  refresh: (networkServerID: number) => Promise<void>;
  /** No such network server runs in this process. */
  isRemote: (networkServerID: number) => boolean;
  /** The effects that another configuration would have on devices and sessions. */
  effectsOf: (networkServerID: number, configuration: Configuration) => Promise<SettingsEffects>;
  /** When and how the device can be reached; null if it has no session or its network server is remote. */
  forecastOf: (networkServerID: number, devEUI: string) => Promise<DownlinkForecast | null>;
  /**
   * The activation of a session that no event has reported yet; null if an event has reported it, the device has no
   * session, or its network server is remote.
   */
  newActivationOf: (networkServerID: number, devEUI: string) => Promise<as.DeviceActivationContext | null>;
  /** Adds a downlink to the end of a queue; null if its network server is remote. */
  enqueue: (networkServerID: number, ...downlink: Parameters<NetworkServer['enqueue']>) => Promise<number | null>;
  /** Removes a downlink from the queue; null if its network server is remote. */
  cancel: (networkServerID: number, devEUI: string, id: string, by: string) => Promise<Cancellation | null>;
  /** The frame counters of queued downlinks by their ids; null if the network server is remote. */
  queuedFCnts: (networkServerID: number, devEUI: string) => Promise<ReadonlyMap<string, number> | null>;
  /**
   * How an uplink of the device would be sent now; null if it has no session. `undefined`: its network server is remote.
   */
  simulatedRadioOf: (networkServerID: number, devEUI: string) => Promise<SimulatedRadio | null | undefined>;
  /**
   * Milliseconds by which the clock of a gateway is ahead of the server clock; null if it is about right or the network
   * server is remote.
   */
  clockOffsetOf: (networkServerID: number, gatewayID: string) => Promise<number | null>;
  /** How a gateway is connected now; null if no link has it or its network server is remote. */
  connectionOf: (networkServerID: number, gatewayID: string) => GatewayConnection | null;
  /** Gateways that sent lately and are not registered, the latest first. */
  unknownGateways: () => readonly UnknownGateway[];
  /** Makes a gateway send a ping; null if its network server is remote. */
  ping: (networkServerID: number, ping: Parameters<NetworkServer['ping']>[0]) => Promise<PingOutcome | null>;
}
