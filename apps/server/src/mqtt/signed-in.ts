import type { Proof, Rights } from './rights.ts';

/** What came from a client, to be taken before it is acknowledged. */
export interface Published {
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  /** The packet identifier; undefined with quality of service 0. */
  messageID: number | undefined;
  isDuplicate: boolean;
}

/** A client that has signed in: a program or a gateway. */
export interface SignedIn {
  readonly proof: Proof;
  readonly rights: Rights;
  /** The quality of service that is granted; undefined when the filter is refused. */
  subscribe: (filter: string, qos: number) => Promise<0 | 1 | undefined>;
  unsubscribe: (filter: string) => void;
  /** Resolves when it may be acknowledged. Rejects when it is not allowed, or has to come again: that ends the connection. */
  publish: (message: Published) => Promise<void>;
  /** Something that was sent with quality of service 1 has arrived. */
  acknowledged: () => void;
  /** Looks whether it is too slow to go on; answers why. */
  hangsBack: () => Promise<string | undefined>;
  end: () => void;
}

export const mostSubscriptions = 50;
