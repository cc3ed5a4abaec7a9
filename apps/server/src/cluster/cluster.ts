/** The database lets go of what an instance held, leases and open transactions, after so long without a word from it. */
export const mostSilentMs = 3_500;

/** The instances that work on one database. A single one is a cluster as well: everything is its own, for ever. */
export interface Cluster {
  /** No other instance can be there: nothing is to be agreed with anybody. */
  readonly isAlone: boolean;
  /** Of this instance: eight hexadecimal digits, new at each start. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The ids of those that are there, this one among them. One that died is missed within five seconds. */
  live: () => readonly string[];
  isLive: (id: string) => boolean;
  /** What is to be added to the clock here to have the one of the database; 0 while they hardly differ. */
  clockOffMs: () => number;
  /** Hears each change of `live`; the function it gives ends it. */
  onChange: (listener: () => void) => () => void;
  /**
   * Work that one instance does at a time: `work` is called whenever this one has the lease, until `signal` aborts. The
   * lease is passed on once what `work` answers has ended; when the database is out of reach another instance may have it
   * by then. The function it gives ends it. `whole`: the lease of which this one is a part, should somebody have that.
   */
  lease: (name: string, work: (signal: AbortSignal) => Promise<void>, whole?: string) => () => Promise<void>;
  /** Keeps instances from starting while `work` is under way. Undefined, and no work, when one is starting already. */
  whileNobodyStarts: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  /** The instance that has the lease of this name, or is about to. */
  holderOf: (name: string) => string;
  /** Who is there, the longest first. */
  members: () => Promise<Member[]>;
}

export interface Member {
  id: string;
  name: string;
  version: string;
  startedAt: Date;
}

/** A single process: nobody is asked about anything. */
export function aloneAs(member: Member): Cluster {
  const live = [member.id];
  return {
    isAlone: true,
    id: member.id,
    name: member.name,
    live: () => live,
    clockOffMs: () => 0,
    isLive: (id) => id === member.id,
    onChange: () => () => undefined,
    lease: (_name, work) => {
      const ending = new AbortController();
      const working = work(ending.signal);
      return () => {
        ending.abort();
        return working;
      };
    },
    whileNobodyStarts: (work) => work(),
    holderOf: () => member.id,
    members: () => Promise.resolve([member]),
  };
}
