import type { Configuration, NetworkServer, Outlook, PingOutcome, SettingsEffects } from '@hilltop/network-server';
import type { as, ns } from '@hilltop/protobuf';
import type { UnknownGateway } from './unknown-gateways.ts';

/** The registered network servers, each as the object of its `ns` service. */
export interface Networks {
  /**
   * By the id of its `network_server` row. Calls on the answer reject with RpcError. Inside `database.transaction` an
   * embedded one writes into that same transaction; a remote one is called between two runs of it, so that `work` must
   * make the same calls in every run: create ids before.
   */
  of: (networkServerID: number) => Promise<ns.NetworkServerService>;
  embedded: EmbeddedNetworks;
}

/** The network servers inside this process, by the ids of their rows. */
export interface EmbeddedNetworks {
  /** Starts, changes or stops one as its row demands. To be called when the row is written. */
  refresh: (networkServerID: number) => Promise<void>;
  /** What another configuration would cause. */
  effectsOf: (networkServerID: number, configuration: Configuration) => Promise<SettingsEffects>;
  /** How a downlink reaches a device; null: it has no session there, or the network server is remote. */
  outlookOf: (networkServerID: number, devEUI: string) => Promise<Outlook | null>;
  /**
   * What the session of a device began with, as long as no event has reported it; null: an event has, there is no
   * session, or the network server is remote.
   */
  newActivationOf: (networkServerID: number, devEUI: string) => Promise<as.DeviceActivationContext | null>;
  /**
   * Milliseconds by which the clock of a gateway is ahead of ours; null: about right, or the network server is remote.
   */
  clockOffsetOf: (networkServerID: number, gatewayID: string) => Promise<number | null>;
  /** Gateways that were refused lately, the latest first. */
  unknownGateways: () => readonly UnknownGateway[];
  /** Lets a gateway send a ping; null: its network server is remote. */
  ping: (networkServerID: number, ping: Parameters<NetworkServer['ping']>[0]) => Promise<PingOutcome | null>;
}
