import type { gw } from '@hilltop/protobuf';
import type { GatewayRecord } from '../state/records.ts';

/** The longest delay of a copy from a slow gateway. */
export const lateCopyMs = 5000;

/** One uplink with the data of all gateways that received it. */
export interface Uplink {
  phyPayload: Uint8Array;
  txInfo: gw.UplinkTXInfo;
  /** Sorted, best first. */
  receptions: Reception[];
  dr: number;
  /** Delayed by a restart, a storage failure or an instance that ended: its receive windows have passed. */
  isTooLateToAnswer: boolean;
  /** As in `CollectedUplink`: milliseconds since 1970, set only where several instances run. */
  receivedAt?: number | undefined;
}

/** The reception of an uplink by one gateway; `gateway` is null when unknown gateways are allowed. */
export interface Reception {
  gatewayID: string;
  rxInfo: gw.UplinkRXInfo;
  gateway: GatewayRecord | null;
  /** A registered device forwarded it. */
  isRelay?: boolean;
}
