import type { Clock } from '../surroundings.ts';

/** What wants to leave at a gateway. */
interface Waiting {
  /** Whose it is: the service-profile, which the tenants of a server cannot make themselves. */
  tenant: string;
  groupID: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Whose turn it is at each gateway, and how long each has been away. After a restart everybody begins anew. */
export interface Turns {
  /** Tenants take turns, then the groups of one, so that nobody waits longer for all that somebody else has queued. */
  next<One extends Waiting>(gatewayID: string, waiting: readonly One[]): One | undefined;
  served(gatewayID: string, one: Waiting): void;
  seen(gatewayID: string): void;
  /** It was not seen for so long that nothing waits for it any more. */
  isGone(gatewayID: string): boolean;
}

const goneAfterMs = 60_000;
const keptAtMost = 10_000;

export function createTurns(clock: Clock): Turns {
  let turn = 0;
  const turns = new Map<string, number>();
  const sightings = new Map<string, number>();
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
    seen: (gatewayID) => put(sightings, gatewayID, clock.monotonicMs()),
    isGone: (gatewayID) => clock.monotonicMs() - (sightings.get(gatewayID) ?? Number.NEGATIVE_INFINITY) > goneAfterMs,
  };
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((rank, place) => rank !== other[place]);
  return at >= 0 && one[at]! < other[at]!;
}

/** Forgets what was put in longest ago. */
function put(map: Map<string, number>, key: string, value: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > keptAtMost && oldest !== undefined) map.delete(oldest);
}
