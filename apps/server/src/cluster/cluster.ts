/** The database ends the leases and open transactions of an instance that has sent nothing for this long. */
export const mostSilentMs = 3_500;

/** The instances that work on one database. A single one is a cluster as well, which has every lease for ever. */
export interface Cluster {
  /** No other instance can exist: nothing has to be agreed with peers. */
  readonly isAlone: boolean;
  /** Of this instance: eight hexadecimal digits, new at each start. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The ids of the live instances, this one among them. A dead one is missing within five seconds. */
  live: () => readonly string[];
  isLive: (id: string) => boolean;
  /** To be added to the clock here to get that of the database; 0 while they hardly differ. */
  clockOffMs: () => number;
  /** Called with each change of `live`; the returned function ends it. */
  onChange: (listener: () => void) => () => void;
  /**
   * Work that one instance does at a time: `work` is called whenever this instance has the lease, and must end when `signal`
   * aborts. The lease passes on once `work` has ended; when the database is out of reach another instance may have it
   * earlier. The returned function gives it up. `whole`: the lease of which this one is a part, if an instance may hold that.
   */
  lease: (name: string, work: (signal: AbortSignal) => Promise<void>, whole?: string) => () => Promise<void>;
  /** Keeps instances from starting while `work` runs. Undefined, without calling it, when one is starting already. */
  whileNobodyStarts: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  /** The instance that has the lease of this name, or is about to. */
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
