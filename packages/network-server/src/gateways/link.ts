/**
 * The port between gateways and network servers. A *link* speaks one protocol of gateways (Semtech UDP, LoRa Basics
 * Station, MQTT) and turns it into the common gateway model, the messages of `gw`. What all of them owe:
 *
 * - an uplink is acknowledged, where the protocol knows that, once it is in the journal, and what one gateway heard
 *   reaches it in the order in which it came (`exchange.ts` does both);
 * - a downlink leaves with its items in order of preference, and what became of it is believed only from whoever holds
 *   the gateway's path (`paths.ts`);
 * - a gateway that no network server knows costs a look-up and a count;
 * - whatever is broken is dropped and counted, and disturbs nobody else.
 *
 * `link-conformance.ts` holds each link against this.
 */
import type { Region } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import type { Clock, Count, Log } from '../platform/runtime.ts';
import type { GatewayPaths } from './paths.ts';

/** A link that runs. */
export interface Link extends AsyncDisposable {
  /** Closes its paths and lets go of its sockets. */
  stop(): Promise<void>;
}

/** What every link is given. */
export interface LinkNeeds {
  /** null: no network server knows this gateway. With the address it was named from, where there is one. */
  networkServerOf: (gatewayID: string, address?: string) => Promise<GatewayNetwork | null>;
  /** Shared by all links and network servers of the process. */
  gateways: GatewayPaths;
  clock: Clock;
  log: Log;
  count: Count;
  /** Whether the network servers have much more to process than they usually have. Left out: never. */
  isBehind?: () => boolean;
  /** So many have a path and are counted. Only where unknown gateways are allowed can strangers come near. */
  mostGateways?: number;
}

/** The network server's side of a link. */
export interface GatewayNetwork {
  /** Whether an uplink can be of this network, by frequency and data-rate: only those are told apart in statistics. */
  isPlanned(txInfo: gw.UplinkTXInfo): boolean;
  /** Resolves when the copies are on disk; rejects when they were not taken, for lack of room or storage. */
  receive(frames: gw.UplinkFrame[]): Promise<void>;
  /** `isGatewayTime`: the gateway itself named the time of its report. */
  gatewayStats(stats: gw.GatewayStats, isGatewayTime?: boolean): Promise<void>;
  /** With the time that the gateway named, if it did. */
  gatewaySeen(gatewayID: string, time?: Date | null): Promise<void>;
  transmitted(ack: gw.DownlinkTXAck): Promise<void>;
  readonly region: Region;
  /** Hz: where gateways that are told so send their beacons; 0: where the region says. */
  beaconFrequency(): number;
  /** What the gateway shall listen to, for links that can tell it; the version is empty when no profile says so. */
  configurationOf(gatewayID: string): Promise<gw.GatewayConfiguration>;
}
