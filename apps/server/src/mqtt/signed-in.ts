import type { Reason } from './reasons.ts';
import type { Proof, TopicRights } from './rights.ts';

/** What came from a client, to be taken before it is acknowledged. */
export interface Published {
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  /** The packet identifier; undefined with quality of service 0. */
  messageID: number | undefined;
  isDuplicate: boolean;
}

/** What a client said of itself when it connected. */
export interface Receiver {
  version: 3 | 4 | 5;
  /** Messages of quality of service 1 that it takes before it acknowledges the first. */
  mostUnacknowledged: number;
  /** The largest packet that it takes, in bytes. */
  mostPacketBytes: number;
}

/** A client that has signed in: a program or a gateway. */
export interface SignedIn {
  readonly proof: Proof;
  readonly rights: TopicRights;
  /** The quality of service that is granted, or why the filter is refused. */
  subscribe: (filter: string, qos: number) => Promise<0 | 1 | Reason>;
  /** False when there was no such subscription. */
  unsubscribe: (filter: string) => boolean;
  /**
   * Resolves when the message may be acknowledged; with a reason when it had no effect, which only clients of MQTT 5 with
   * quality of service 1 learn. Rejects with a Refusal when it is not allowed, and with another error when the client
   * should send it again.
   */
  publish: (message: Published) => Promise<Reason | undefined>;
  /** Something that was sent with quality of service 1 has arrived. */
  acknowledged: () => void;
  /** Looks whether it is too slow to go on; answers why. */
  hangsBack: () => Promise<string | undefined>;
  end: () => void;
}

export const mostSubscriptions = 50;
/** Messages that a client may have sent and not seen acknowledged: the Receive Maximum of MQTT 5. */
export const mostUnacknowledgedFromClient = 64;
