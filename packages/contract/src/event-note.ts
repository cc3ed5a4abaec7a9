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
  /** Frames of the same session that are missing before this one; -1 for one that counted as missing and came late. */
  readonly lost?: number;
  /** Of these, the ones that were sent while no server was running, if the device sends regularly. */
  readonly lostWhileStopped?: number;
  /** The counter jumped over that many values: more than a device can have sent. */
  readonly counterJump?: number;
  /** The device began to count anew without a new session. */
  readonly counterReset?: true;
  /** MAC commands of the frame. Remote network servers do not report them. */
  readonly mac?: readonly MacCommandNote[];
  /** DevEUIs of the relays that forwarded the frame. */
  readonly relays?: readonly string[];
  /** The reason why the device may not join. */
  readonly refused?: string;
  /** A user sent the uplink as the device. */
  readonly simulated?: true;
  /** What the codec noticed about the payload. */
  readonly warnings?: readonly string[];
  /** Quantity and unit of decoded numbers from the codec, by their names joined with a dot. */
  readonly quantities?: Quantities;
}

/** A MAC command, with its members as in frame logs. */
export interface MacCommandNote {
  readonly name: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** The payload of the request that an answer belongs to. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** With an answer to LinkADRReq: what the device used before. */
  readonly before?: { readonly dataRate: number; readonly txPower: number; readonly nbRep: number };
}
