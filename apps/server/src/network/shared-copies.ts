import type { JournalID, Place, SharedCopies, SharedCopy } from '@hilltop/network-server';
import { turnOf } from '../cluster/rendezvous.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { prefixOf } from '../redis/prefix.ts';

/**
 * One list per uplink: who came first, then the journal ids of all copies. Once that one has read it, `.` stands in his
 * place. KEYS: lists; ARGV: who we are, for how long a list stays (ms), an id for each list.
 * Answers per list 1 (ours), 0 (somebody else's) or 2 (read already).
 */
const add = `
local places = {}
for at, key in ipairs(KEYS) do
  local holder = redis.call('LINDEX', key, 0)
  if holder == '.' then
    places[at] = 2
  else
    if not holder then
      holder = ARGV[1]
      redis.call('RPUSH', key, holder)
      redis.call('PEXPIRE', key, ARGV[2])
    end
    redis.call('RPUSH', key, ARGV[at + 2])
    places[at] = holder == ARGV[1] and 1 or 0
  end
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

const places: Place[] = ['elsewhere', 'mine', 'late'];
/** So long copies gather for one way to Redis: a way costs as much as the work of many, and the answer is wanted later. */
const gatherMs = 20;
/** In which it must answer after that for the copies of one window to meet. */
const addWithinMs = 130;
const takeWithinMs = 50;
/** Longer than any window with what a busy process adds to it. */
const keptMs = 10_000;
/** No device sends the same again before the first window after its uplink. */
const lateForMs = 1_000;
/** Copies in one script. */
const mostTogether = 200;

interface Needed {
  redis: Pick<RedisConnection, 'run'>;
  instanceID: string;
  /** The ids of all instances that are there. */
  live: () => readonly string[];
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
export function sharedCopies({ redis, instanceID, live, tokenKey }: Needed, networkServerID: number): SharedCopies {
  const prefix = `${prefixOf(tokenKey)}copies:${networkServerID}:`;
  const listOf = (key: string) => prefix + key;

  const addOne = together<SharedCopy, Place>(
    (work) => setTimeout(work, gatherMs),
    async (some) => {
      const lists = some.map(({ key }) => listOf(key));
      const ids = some.map(({ id }) => id);
      const told = await redis.run(
        (commands) => commands.eval(add, lists.length, ...lists, instanceID, keptMs, ...ids) as Promise<number[]>,
        addWithinMs,
      );
      return some.map((_, at) => places[told?.[at] ?? -1] ?? 'unknown');
    },
  );
  const takeOne = together<string, JournalID[]>(setImmediate, async (keys) => {
    const all = await redis.run(
      (commands) => commands.eval(take, keys.length, ...keys.map(listOf), lateForMs) as Promise<string[][]>,
      takeWithinMs,
    );
    return keys.map((_, at) => (all?.[at] ?? []).map(Number));
  });

  return {
    add: (copies) => Promise.all(copies.map(addOne)),
    take: takeOne,
    turnOf: (arrival) => turnOf(arrival, instanceID, live()),
  };
}
