/**
 * The interface between gateways and network servers. A *link* speaks one gateway protocol (Semtech UDP, LoRa Basics
 * Station, MQTT) and translates it into the common gateway model, the messages of `gw`. Each link guarantees:
 *
 * - an uplink is acknowledged, where the protocol has acknowledgements, once it is in the journal, and the uplinks of
 *   one gateway reach it in their order (`exchange.ts` does both);
 * - a downlink has its items in order of preference, and its result is believed only from the path of the gateway
 *   (`paths.ts`);
 * - a gateway that no network server knows costs a look-up and a count;
 * - broken messages are dropped and counted, and affect nothing else.
 *
 * `link-conformance.ts` tests each link for this.
 */
import type { Region } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import type { Clock, Count, Log } from '../platform/runtime.ts';
import type { GatewayPaths, LinkKind } from './paths.ts';

/**
 * The messages per second that are read from the connection of a gateway; the others wait in its socket. 16
 * demodulators with the shortest LoRa frames of SF7 receive fewer.
 */
export const mostGatewayMessagesPerSecond = 800;

/** A running link. */
export interface Link extends AsyncDisposable {
  /** Closes its paths and its sockets. */
  stop(): Promise<void>;
}

/** What links report of the life of gateways. It is called for each message. */
export interface GatewaySigns {
  received(gatewayID: string, link: LinkKind): void;
  /** The connection of a gateway has ended, for a reason in words, and no other link has the gateway. */
  ended(gatewayID: string, reason: string): void;
}

/** The dependencies of every link. */
export interface LinkNeeds {
  /** The network server of a gateway; null: none knows it. `address` is that of the sender, if any. */
  networkServerOf: (gatewayID: string, address?: string) => Promise<GatewayNetwork | null>;
  /** Shared by all links and network servers of the process. */
  gateways: GatewayPaths;
  /** Absent: nobody asks. */
  signs?: GatewaySigns | undefined;
  clock: Clock;
  log: Log;
  count: Count;
  /** Whether the network servers have much more to process than usual. Absent: never. */
  isBehind?: () => boolean;
  /**
   * The most gateways that have a path and are counted. Unregistered gateways count only if the settings allow unknown
   * gateways.
   */
  mostGateways?: number;
}

/** The network server's side of a link. */
export interface GatewayNetwork {
  /** Whether an uplink can belong to this network, by frequency and data rate: statistics count others as one. */
  isPlanned(txInfo: gw.UplinkTXInfo): boolean;
  /** Frames with a wrong checksum, or without one. Absent: they are not counted. */
  receivedUnreadable?(gatewayID: string, frames: readonly { txInfo: gw.UplinkTXInfo; size: number }[]): void;
  /** Resolves when the copies are on disk; rejects when too many wait, or storage fails. */
  receive(frames: gw.UplinkFrame[]): Promise<void>;
  /** `isGatewayTime`: the time of the report comes from the gateway itself. */
  gatewayStats(stats: gw.GatewayStats, isGatewayTime?: boolean): Promise<void>;
  /** Stores the contact, with the time that the gateway sent, if any. */
  gatewaySeen(gatewayID: string, time?: Date | null): Promise<void>;
  transmitted(ack: gw.DownlinkTXAck): Promise<void>;
  readonly region: Region;
  /** In Hz: where gateways send their beacons, for links that can configure it; 0: the frequency of the region. */
  beaconFrequency(): number;
  /**
   * The channels and the report interval of a gateway, for links that can configure it; the version is empty without a
   * profile.
   */
  configurationOf(gatewayID: string): Promise<gw.GatewayConfiguration>;
}
