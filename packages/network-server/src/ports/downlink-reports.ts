import type { Effect } from '../state/effect.ts';

/**
 * What happened to a queued downlink. The `as` service has no calls for most of it, so a remote network server reports
 * less.
 */
export interface DownlinkReport {
  devEUI: string;
  /** The id that the item was queued with. */
  itemID: string;
  fCnt: number;
  step: DownlinkStep;
  /** Hexadecimal. */
  gatewayID?: string;
  window?: ReceiveWindowName;
  /** Hz. */
  frequency?: number;
  dr?: number;
  /** The status that a gateway reports when it refuses. */
  reason?: string;
  /** Of an item that is too large: its bytes, and the most that could be sent. */
  bytes?: number;
  limit?: number;
  /** Who canceled it. */
  by?: string;
}

export type DownlinkStep =
  | 'SENDING'
  | 'SENT'
  | 'GATEWAY_REFUSED'
  | 'NO_GATEWAY'
  /** All gateways have used up their duty cycle. */
  | 'DUTY_CYCLE'
  | 'ACKNOWLEDGED'
  | 'UNACKNOWLEDGED'
  | 'TOO_LARGE'
  /** The device has joined again. */
  | 'REJOINED'
  /** The session ended otherwise. */
  | 'SESSION_REPLACED'
  | 'EXPIRED'
  | 'CANCELED';

export type ReceiveWindowName = 'RX1' | 'RX2' | 'RXC' | 'PING_SLOT';

/** Answers what the application writes, as the `as` service does. It is in the transaction of what it reports. */
export type ReportDownlink = (report: DownlinkReport) => Effect;
