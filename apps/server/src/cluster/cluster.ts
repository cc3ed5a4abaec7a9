/** The database ends the leases and open transactions of an instance that has sent nothing for this long. */
export const mostSilentMs = 3_500;

/** The instances that work on one database. A single process is a cluster that always has every lease. */
export interface Cluster {
  /** No other instance can exist, so nothing has to be coordinated. */
  readonly isAlone: boolean;
  /** The id of this instance: eight hexadecimal digits, new at each start. */
  readonly id: string;
  /** The name for users. */
  readonly name: string;
  /** The ids of the live instances, including this one. A dead instance is removed within five seconds. */
  live: () => readonly string[];
  isLive: (id: string) => boolean;
  /** To be added to the local clock to get the database time; 0 while they hardly differ. */
  clockOffMs: () => number;
  /** Calls the listener with each change of `live`; the returned function unsubscribes. */
  onChange: (listener: () => void) => () => void;
  /**
   * Runs `work` whenever this instance has the lease, which only one instance has at a time. `work` must end when
   * `signal` aborts; then the lease goes to another instance, or earlier when this one loses the database. The returned
   * function gives the lease up. `whole` is the lease that includes this one, if an instance may hold that.
   */
  lease: (name: string, work: (signal: AbortSignal) => Promise<void>, whole?: string) => () => Promise<void>;
  /**
   * Runs `work` and prevents instances from starting meanwhile. Answers undefined without a call when an instance is
   * starting.
   */
  whileNobodyStarts: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  /** The instance that has the lease of this name, or will get it. */
  holderOf: (name: string) => string;
  /** The live instances, the longest running first. */
  members: () => Promise<Member[]>;
}

export interface Member {
  id: string;
  name: string;
  version: string;
  startedAt: Date;
}

/** The cluster of a single process. */
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
