import type { Clock, CopyOwner, CrossInstanceDeduplication, JournalID, SharedCopy } from '@hilltop/network-server';
import type { Cluster } from '../cluster/cluster.ts';
import { turnOf } from '../cluster/rendezvous.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { prefixOf } from '../redis/prefix.ts';

/**
 * One list per uplink: first its holder, the instance that adds the first copy, then the journal ids of all copies.
 * When the holder has read the list, it contains only `.`. KEYS: lists; ARGV: this instance, the lifetime of a list
 * (ms), a journal id for each list. Answers the holder of each list, `.` when it was read already.
 */
const add = `
local holders = {}
for at, key in ipairs(KEYS) do
  local holder = redis.call('LINDEX', key, 0)
  if holder ~= '.' then
    if not holder then
      holder = ARGV[1]
      redis.call('RPUSH', key, holder)
      redis.call('PEXPIRE', key, ARGV[2])
    end
    redis.call('RPUSH', key, ARGV[at + 2])
  end
  holders[at] = holder
end
return holders`;

/** KEYS: lists; ARGV: how long Redis remembers that they were read (ms). Answers the ids of each. */
const take = `
local all = {}
for at, key in ipairs(KEYS) do
  all[at] = redis.call('LRANGE', key, 1, -1)
  redis.call('DEL', key)
  redis.call('RPUSH', key, '.')
  redis.call('PEXPIRE', key, ARGV[1])
end
return all`;

const wasRead = '.';
/** Copies of this time share one round trip to Redis: it costs as much as many copies, and the answer is needed later. */
const gatherMs = 20;
/** The answer must arrive in this time for the copies of one deduplication window to be collected together. */
const addWithinMs = 130;
const takeWithinMs = 50;
/**
 * While Redis answers other calls it is only slow. Waiting then processes a late uplink once; without its answer every
 * instance would process it, and would be overloaded as well.
 */
const mostBehindMs = 1_000;
const usualLifetimes = {
  /** Of a list: longer than any deduplication window, also in a busy process. */
  listMs: 10_000,
  /** Of the mark that a list was read: a device repeats an uplink only after the first window. */
  readMs: 1_000,
};
/** The most copies in one call of a script. */
const maxPerCall = 200;
/** By then the holder of an uplink has processed it, or another instance takes it over from the journal. */
const rememberMs = 30_000;

interface DeduplicationDependencies {
  redis: Pick<RedisConnection, 'run'>;
  instanceID: string;
  cluster: Pick<Cluster, 'live' | 'onChange'>;
  clock: Pick<Clock, 'monotonicMs'>;
  tokenKey: Uint8Array;
  lifetimes?: Readonly<typeof usualLifetimes>;
}

/** Collects calls until `schedule` calls back; `send` answers in the order of the calls. */
function batched<Argument, Answer>(
  schedule: (sendAll: () => void) => void,
  send: (batch: readonly Argument[]) => Promise<readonly Answer[]>,
): (argument: Argument) => Promise<Answer> {
  let waiting: { argument: Argument; resolve: (answer: Promise<Answer>) => void }[] = [];
  function sendAll(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += maxPerCall) {
      const batch = all.slice(from, from + maxPerCall);
      const answers = send(batch.map(({ argument }) => argument));
      for (const [at, { resolve }] of batch.entries()) resolve(answers.then((results) => results[at]!));
    }
  }
  return (argument) =>
    new Promise((resolve) => {
      if (waiting.push({ argument, resolve }) === 1) schedule(sendAll);
    });
}

/** Cross-instance deduplication by lists in Redis, one for each uplink. */
export function createCrossInstanceDeduplication(
  { redis, instanceID, cluster, clock, tokenKey, lifetimes = usualLifetimes }: DeduplicationDependencies,
  networkServerID: number,
): CrossInstanceDeduplication {
  const { live } = cluster;
  const prefix = `${prefixOf(tokenKey)}copies:${networkServerID}:`;
  const listOf = (key: string) => prefix + key;
  /** Copies of this instance whose uplinks a peer processes, the oldest first. */
  const ownedByPeers = new Map<JournalID, { holder: string; since: number }>();

  function remember(id: JournalID, holder: string): void {
    const now = clock.monotonicMs();
    ownedByPeers.set(id, { holder, since: now });
    for (const [oldest, { since }] of ownedByPeers) {
      if (now - since < rememberMs) break;
      ownedByPeers.delete(oldest);
    }
  }

  function ownerOf(holder: string | undefined, id: JournalID): CopyOwner {
    if (holder === undefined) return 'unknown';
    if (holder === wasRead) return 'late';
    if (holder === instanceID) return 'mine';
    if (!live().includes(holder)) return 'unknown';
    remember(id, holder);
    return 'elsewhere';
  }

  const addOne = batched<SharedCopy, CopyOwner>(
    (work) => setTimeout(work, gatherMs),
    async (copies) => {
      const lists = copies.map(({ key }) => listOf(key));
      const ids = copies.map(({ id }) => id);
      const holders = await redis.run(
        (commands) =>
          commands.eval(add, lists.length, ...lists, instanceID, lifetimes.listMs, ...ids) as Promise<string[]>,
        addWithinMs,
        mostBehindMs,
      );
      return copies.map(({ id }, at) => ownerOf(holders?.[at], id));
    },
  );
  const takeOne = batched<string, JournalID[]>(setImmediate, async (keys) => {
    const all = await redis.run(
      (commands) => commands.eval(take, keys.length, ...keys.map(listOf), lifetimes.readMs) as Promise<string[][]>,
      takeWithinMs,
      mostBehindMs,
    );
    return keys.map((_, at) => (all?.[at] ?? []).map(Number));
  });

  return {
    add: (copies) => Promise.all(copies.map(addOne)),
    collectCopies: takeOne,
    priorityOf: (arrival) => turnOf(arrival, instanceID, live()),
    orphanedCopies: () => {
      const liveIDs = new Set(live());
      return [...ownedByPeers].flatMap(([id, { holder }]) => (liveIDs.has(holder) ? [] : [id]));
    },
    onPeerLost: (listener) => {
      let lastLive = live();
      return cluster.onChange(() => {
        const now = live();
        const isMissed = lastLive.some((id) => !now.includes(id));
        lastLive = now;
        if (isMissed) listener();
      });
    },
  };
}
