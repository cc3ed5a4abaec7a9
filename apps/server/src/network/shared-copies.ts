import type { Place, SharedCopies, SharedCopy } from '@hilltop/network-server';
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

/** KEYS: one list; ARGV: for how long it is known that it was read (ms). Answers the ids. */
const take = `
local ids = redis.call('LRANGE', KEYS[1], 1, -1)
redis.call('DEL', KEYS[1])
redis.call('RPUSH', KEYS[1], '.')
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return ids`;

const places: Place[] = ['elsewhere', 'mine', 'late'];
/** In which it must answer for the copies of one window to meet. */
const addWithinMs = 150;
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

interface Waiting extends SharedCopy {
  resolve: (place: Place) => void;
}

/** Copies of all instances in Redis. Those that come in one turn of the event loop go there together. */
export function sharedCopies({ redis, instanceID, live, tokenKey }: Needed, networkServerID: number): SharedCopies {
  const prefix = `${prefixOf(tokenKey)}copies:${networkServerID}:`;
  const listOf = (key: string) => prefix + key;
  let waiting: Waiting[] = [];

  async function send(some: readonly Waiting[]): Promise<void> {
    const lists = some.map(({ key }) => listOf(key));
    const ids = some.map(({ id }) => id);
    const told = await redis.run(
      (commands) => commands.eval(add, lists.length, ...lists, instanceID, keptMs, ...ids) as Promise<number[]>,
      addWithinMs,
    );
    for (const [at, { resolve }] of some.entries()) resolve(places[told?.[at] ?? -1] ?? 'unknown');
  }

  function sendAll(): void {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += mostTogether) void send(all.slice(at, at + mostTogether));
  }

  return {
    add: (copies) =>
      Promise.all(
        copies.map((copy) => {
          const { promise, resolve } = Promise.withResolvers<Place>();
          if (waiting.push({ ...copy, resolve }) === 1) setImmediate(sendAll);
          return promise;
        }),
      ),
    take: async (key) => {
      const ids = await redis.run(
        (commands) => commands.eval(take, 1, listOf(key), lateForMs) as Promise<string[]>,
        takeWithinMs,
      );
      return (ids ?? []).map(Number);
    },
    turnOf: (arrival) => turnOf(arrival, instanceID, live()),
  };
}
