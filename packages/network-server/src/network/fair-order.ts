import type { Clock } from '../platform/runtime.ts';

/** What wants to leave at a gateway. */
interface Waiting {
  /** Whose it is: the service-profile, which the tenants of a server cannot make themselves. */
  tenant: string;
  groupID: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Whose turn it is at each gateway, and how long each has been away. After a restart everybody begins anew. */
export interface FairOrder {
  /** Tenants take turns, then the groups of one, so that nobody waits longer for all that somebody else has queued. */
  next<One extends Waiting>(gatewayID: string, waiting: readonly One[]): One | undefined;
  served(gatewayID: string, one: Waiting): void;
  /** Whether it has been away for so long that what is late waits for it no more. To be asked whenever it is looked for. */
  isGone(gatewayID: string, isHere: boolean): boolean;
}

const goneAfterMs = 60_000;
/** Nobody looked for so long: storage was away, or there was nothing to send. */
const unwatchedMs = 30_000;
const keptAtMost = 10_000;

export function createFairOrder(clock: Clock): FairOrder {
  let turn = 0;
  const turns = new Map<string, number>();
  /** null: it was here when somebody looked. */
  const looks = new Map<string, { at: number; awaySince: number | null }>();
  const turnOf = (gatewayID: string, who: string) => turns.get(`${gatewayID} ${who}`) ?? 0;
  return {
    next(gatewayID, waiting) {
      const ranked = waiting.map((one) => {
        const { tenant, groupID, at } = one;
        return { one, rank: [turnOf(gatewayID, tenant), turnOf(gatewayID, groupID), at] };
      });
      return ranked.reduce((first, other) => (isBefore(other.rank, first.rank) ? other : first), ranked[0]!)?.one;
    },
    served(gatewayID, { tenant, groupID }) {
      turn += 1;
      for (const who of [tenant, groupID]) put(turns, `${gatewayID} ${who}`, turn);
    },
    isGone(gatewayID, isHere) {
      const at = clock.monotonicMs();
      const last = looks.get(gatewayID);
      // What is late already when the process begins is of yesterday.
      const sinceBefore = last ? last.awaySince : Number.NEGATIVE_INFINITY;
      const isWatched = !last || at - last.at < unwatchedMs;
      const awaySince = isHere ? null : isWatched ? (sinceBefore ?? at) : at;
      put(looks, gatewayID, { at, awaySince });
      return awaySince !== null && at - awaySince > goneAfterMs;
    },
  };
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((rank, place) => rank !== other[place]);
  return at >= 0 && one[at]! < other[at]!;
}

/** Forgets what was put in longest ago. */
function put<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > keptAtMost && oldest !== undefined) map.delete(oldest);
}
