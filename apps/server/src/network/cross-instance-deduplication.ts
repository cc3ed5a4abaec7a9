import type { Clock, CopyOwner, CrossInstanceDeduplication, JournalID, SharedCopy } from '@hilltop/network-server';
import type { Cluster } from '../cluster/cluster.ts';
import { turnOf } from '../cluster/rendezvous.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { prefixOf } from '../redis/prefix.ts';

/**
 * One list per uplink: who came first, then the journal ids of all copies. Once that one has read it, `.` stands in his
 * place. KEYS: lists; ARGV: who we are, for how long a list stays (ms), an id for each list.
 * Answers for each list whose it is, `.` when it was read already.
 */
const add = `
local places = {}
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
  places[at] = holder
end
return places`;

/** KEYS: lists; ARGV: for how long it is known that they were read (ms). Answers the ids of each. */
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
/** So long copies gather for one way to Redis: a way costs as much as the work of many, and the answer is wanted later. */
const gatherMs = 20;
/** In which it must answer after that for the copies of one window to meet. */
const addWithinMs = 130;
const takeWithinMs = 50;
/**
 * While it answers others it is only behind. Then what is late is done once, as it would not be by all who go on without
 * its word: they would be behind as well.
 */
const mostBehindMs = 1_000;
/** Longer than any window with what a busy process adds to it. */
const keptMs = 10_000;
/** No device sends the same again before the first window after its uplink. */
const lateForMs = 1_000;
/** Copies in one script. */
const mostTogether = 200;
/** By then whoever has an uplink has told it, or is looked after by the journal. */
const keptInMindMs = 30_000;

interface DeduplicationDependencies {
  redis: Pick<RedisConnection, 'run'>;
  instanceID: string;
  cluster: Pick<Cluster, 'live' | 'onChange'>;
  clock: Pick<Clock, 'monotonicMs'>;
  tokenKey: Uint8Array;
}

/** Calls that come before `soon` calls back go together, so many at most; `send` answers in their order. */
function together<Asked, Answer>(
  soon: (work: () => void) => void,
  send: (some: readonly Asked[]) => Promise<readonly Answer[]>,
): (asked: Asked) => Promise<Answer> {
  let waiting: { asked: Asked; resolve: (answer: Promise<Answer>) => void }[] = [];
  function sendAll(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += mostTogether) {
      const some = all.slice(from, from + mostTogether);
      const answers = send(some.map(({ asked }) => asked));
      for (const [at, { resolve }] of some.entries()) resolve(answers.then((given) => given[at]!));
    }
  }
  return (asked) =>
    new Promise((resolve) => {
      if (waiting.push({ asked, resolve }) === 1) soon(sendAll);
    });
}

/** Copies of all instances in Redis. */
export function createCrossInstanceDeduplication(
  { redis, instanceID, cluster, clock, tokenKey }: DeduplicationDependencies,
  networkServerID: number,
): CrossInstanceDeduplication {
  const { live } = cluster;
  const prefix = `${prefixOf(tokenKey)}copies:${networkServerID}:`;
  const listOf = (key: string) => prefix + key;
  /** Our copies of uplinks that another instance has, the oldest first. */
  const elsewhere = new Map<JournalID, { holder: string; since: number }>();

  function keepInMind(id: JournalID, holder: string): void {
    const now = clock.monotonicMs();
    elsewhere.set(id, { holder, since: now });
    for (const [oldest, { since }] of elsewhere) {
      if (now - since < keptInMindMs) break;
      elsewhere.delete(oldest);
    }
  }

  function placeOf(holder: string | undefined, id: JournalID): CopyOwner {
    if (holder === undefined) return 'unknown';
    if (holder === wasRead) return 'late';
    if (holder === instanceID) return 'mine';
    if (!live().includes(holder)) return 'unknown';
    keepInMind(id, holder);
    return 'elsewhere';
  }

  const addOne = together<SharedCopy, CopyOwner>(
    (work) => setTimeout(work, gatherMs),
    async (some) => {
      const lists = some.map(({ key }) => listOf(key));
      const ids = some.map(({ id }) => id);
      const holders = await redis.run(
        (commands) => commands.eval(add, lists.length, ...lists, instanceID, keptMs, ...ids) as Promise<string[]>,
        addWithinMs,
        mostBehindMs,
      );
      return some.map(({ id }, at) => placeOf(holders?.[at], id));
    },
  );
  const takeOne = together<string, JournalID[]>(setImmediate, async (keys) => {
    const all = await redis.run(
      (commands) => commands.eval(take, keys.length, ...keys.map(listOf), lateForMs) as Promise<string[][]>,
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
      const there = new Set(live());
      return [...elsewhere].flatMap(([id, { holder }]) => (there.has(holder) ? [] : [id]));
    },
    onPeerLost: (listener) => {
      let there = live();
      return cluster.onChange(() => {
        const now = live();
        const isMissed = there.some((id) => !now.includes(id));
        there = now;
        if (isMissed) listener();
      });
    },
  };
}
