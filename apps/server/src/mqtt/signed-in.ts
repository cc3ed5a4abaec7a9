import type { Reason } from './reasons.ts';
import type { Proof, TopicRights } from './rights.ts';

/** A message from a client, to be processed before it is acknowledged. */
export interface Published {
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  /** The packet identifier; undefined with quality of service 0. */
  messageID: number | undefined;
  isDuplicate: boolean;
}

/** Properties of a client from its CONNECT. */
export interface Receiver {
  version: 3 | 4 | 5;
  /** How many messages of quality of service 1 it accepts before it acknowledges the first. */
  mostUnacknowledged: number;
  /** The largest packet that it accepts, in bytes. */
  mostPacketBytes: number;
}

/** A client that has signed in: a program or a gateway. */
export interface SignedIn {
  readonly proof: Proof;
  readonly rights: TopicRights;
  /** The granted quality of service, or why the filter is refused. */
  subscribe: (filter: string, qos: number) => Promise<0 | 1 | Reason>;
  /** False when there was no such subscription. */
  unsubscribe: (filter: string) => boolean;
  /**
   * Resolves when the message may be acknowledged; with a reason when it had no effect, which is sent only to clients
   * of MQTT 5 with quality of service 1. Rejects with a Refusal when it is not allowed, and with another error when the
   * client should resend it.
   */
  publish: (message: Published) => Promise<Reason | undefined>;
  /** Called when the client acknowledged a message of quality of service 1. */
  acknowledged: () => void;
  /** Why the client is too slow to stay connected; undefined when it is not. */
  hangsBack: () => Promise<string | undefined>;
  end: () => void;
}

export const mostSubscriptions = 50;
/** The most messages that a client may send before they are acknowledged: the Receive Maximum of MQTT 5. */
export const mostUnacknowledgedFromClient = 64;
