import type { Clock } from '../platform/runtime.ts';

/** An item that is ready to be sent by a gateway. */
interface WaitingItem {
  /** The service profile: the tenants of a server cannot create one themselves. */
  tenant: string;
  groupID: string;
  /** Milliseconds since 1970. */
  at: number;
}

/**
 * Chooses the next multicast item of each gateway, and knows how long each gateway has been disconnected. A restart
 * forgets both.
 */
export interface FairOrder {
  /** Alternates between tenants, then between the groups of a tenant, so that a long queue of one delays no other. */
  next<One extends WaitingItem>(gatewayID: string, waiting: readonly One[]): One | undefined;
  served(gatewayID: string, one: WaitingItem): void;
  /**
   * Whether the gateway has been disconnected for so long that late items are dropped. Must be called with each check.
   */
  isGone(gatewayID: string, isHere: boolean): boolean;
}

const goneAfterMs = 60_000;
/** A longer time without a check: storage failed, or there was nothing to send. */
const unwatchedMs = 30_000;
const mostEntries = 10_000;

export function createFairOrder(clock: Clock): FairOrder {
  let serial = 0;
  const lastServed = new Map<string, number>();
  /** null: the gateway was connected at the last check. */
  const checks = new Map<string, { at: number; awaySince: number | null }>();
  const lastServedOf = (gatewayID: string, who: string) => lastServed.get(`${gatewayID} ${who}`) ?? 0;
  return {
    next(gatewayID, waiting) {
      const ranked = waiting.map((one) => {
        const { tenant, groupID, at } = one;
        return { one, rank: [lastServedOf(gatewayID, tenant), lastServedOf(gatewayID, groupID), at] };
      });
      return ranked.reduce((first, other) => (isBefore(other.rank, first.rank) ? other : first), ranked[0]!)?.one;
    },
    served(gatewayID, { tenant, groupID }) {
      serial += 1;
      for (const who of [tenant, groupID]) put(lastServed, `${gatewayID} ${who}`, serial);
    },
    isGone(gatewayID, isHere) {
      const at = clock.monotonicMs();
      const last = checks.get(gatewayID);
      // An item that is late when the process starts was late before.
      const sinceBefore = last ? last.awaySince : Number.NEGATIVE_INFINITY;
      const isWatched = !last || at - last.at < unwatchedMs;
      const awaySince = isHere ? null : isWatched ? (sinceBefore ?? at) : at;
      put(checks, gatewayID, { at, awaySince });
      return awaySince !== null && at - awaySince > goneAfterMs;
    },
  };
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((rank, position) => rank !== other[position]);
  return at >= 0 && one[at]! < other[at]!;
}

/** Sets an entry, and removes the oldest one when there are too many. */
function put<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > mostEntries && oldest !== undefined) map.delete(oldest);
}
