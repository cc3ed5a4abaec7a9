import type { gw } from '@hilltop/protobuf';
import type { GatewayRecord } from '../state/records.ts';

/** One uplink with the data of all gateways that received it. */
export interface Uplink {
  phyPayload: Uint8Array;
  txInfo: gw.UplinkTXInfo;
  /** Best first. */
  receptions: Reception[];
  dr: number;
  /** Delayed by a restart, a storage failure or an instance that ended: its receive windows have passed. */
  isTooLateToAnswer: boolean;
  /** As in `CollectedUplink`: milliseconds since 1970, set only where several instances run. */
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
