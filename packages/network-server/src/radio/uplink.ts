import type { gw } from '@hilltop/protobuf';
import type { GatewayRecord } from '../state/records.ts';

/** One uplink with the data of all gateways that received it. */
export interface Uplink {
  phyPayload: Uint8Array;
  txInfo: gw.UplinkTXInfo;
  /** Best first. */
  receptions: Reception[];
  dr: number;
  /** Received a while ago, before a restart or by a process that has ended. */
  isRecovered: boolean;
  /** In milliseconds since 1970, where other processes may have handled uplinks meanwhile. */
  receivedAt?: number | undefined;
}

/** How one gateway heard it; `gateway` is null when unknown gateways are allowed. */
export interface Reception {
  gatewayID: string;
  rxInfo: gw.UplinkRXInfo;
  gateway: GatewayRecord | null;
  /** One of our devices forwarded it. */
  isRelay?: boolean;
}
