import type { LinkKind } from '@hilltop/network-server';
import { networkOf } from '../connections/network-of.ts';
import { setLatest } from '../latest-n.ts';

/** How one can come near. */
export type GatewayLinkKind = Exclude<LinkKind, 'relay'>;

/** How an id came here, and from which address where gateways come by themselves instead of by a broker. */
export interface GatewayOrigin {
  way: GatewayLinkKind;
  address?: string | undefined;
}

/** A gateway that nobody registered, and how it tried to be heard. */
export interface UnknownGateway {
  readonly id: string;
  readonly link: GatewayLinkKind;
  /** Whose share of the places it has: that of the address it came from first. */
  readonly network?: string | undefined;
  readonly times: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export interface UnknownGateways {
  /** One was turned away. */
  recordUnregistered(id: string, from: GatewayOrigin): void;
  /** Those of the last hour, the latest first. */
  list(): UnknownGateway[];
}

const keptMs = 3_600_000;
/** Where places are scarce: gateways say something every half a minute. */
const silentMs = 120_000;

interface UnknownGatewaysOptions {
  now: () => Date;
  /** One found no place any more. */
  onLeftOut: () => void;
  most?: number;
}

/**
 * Unknown gateways, so that they can be registered by a click. Anybody can make ids up, so there are places for few: one
 * that came once or was silent for two minutes gives way, one that keeps knocking as gateways do stays. One address has a quarter of the places.
 */
export function createUnknownGateways({ now, onLeftOut, most = 200 }: UnknownGatewaysOptions): UnknownGateways {
  /** The one that knocked longest ago is the first. */
  const known = new Map<string, UnknownGateway>();

  /** Of so many, which begin with the one that knocked longest ago, one may have to give way. */
  function makeRoom(among: ReadonlyMap<string, UnknownGateway>, places: number, atMs: number): boolean {
    if (among.size < places) return true;
    const [longestAgo] = among.values();
    const gone =
      longestAgo && atMs - longestAgo.lastAt.getTime() > silentMs
        ? longestAgo
        : among.values().find(({ times }) => times === 1);
    return gone !== undefined && known.delete(gone.id);
  }

  function place(network: string | undefined, atMs: number): boolean {
    if (network === undefined) return makeRoom(known, most, atMs);
    const alike = new Map(known.entries().filter(([, stranger]) => stranger.network === network));
    return makeRoom(alike, most / 4, atMs) && makeRoom(known, most, atMs);
  }

  return {
    recordUnregistered(id, { way, address }) {
      const at = now();
      const before = known.get(id);
      const network = before ? before.network : address && networkOf(address);
      if (!before && !place(network, at.getTime())) return onLeftOut();
      const { times, firstAt } = before ?? { times: 0, firstAt: at };
      setLatest(known, most, id, { id, link: way, network, times: times + 1, firstAt, lastAt: at });
    },
    list() {
      const sinceMs = now().getTime() - keptMs;
      return [...known.values()].filter(({ lastAt }) => lastAt.getTime() >= sinceMs).reverse();
    },
  };
}
