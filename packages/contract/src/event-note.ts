import type { Quantities } from './quantity.ts';

/** What the history shows of an event in addition to its payload. Members are left out when they are unknown. */
export interface EventNote {
  /** dBm, of the best gateway. */
  readonly bestRSSI?: number;
  /** dB, of the best gateway. */
  readonly bestSNR?: number;
  /** The gateways that received the frame. */
  readonly gatewayCount?: number;
  /** Time on air of the frame in milliseconds. */
  readonly airtimeMs?: number;
  /** Frames of the same session that are missing before this one. */
  readonly lost?: number;
  /** A user sent the uplink as the device. */
  readonly simulated?: true;
  /** What the codec noticed about the payload. */
  readonly warnings?: readonly string[];
  /** Quantity and unit of decoded numbers from the codec, by their names joined with a dot. */
  readonly quantities?: Quantities;
}
