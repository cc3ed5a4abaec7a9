import type { LinkKind } from '@hilltop/network-server';
import { networkOf } from '../connections/network-of.ts';
import { setLatest } from '../latest-n.ts';

/** The kinds of links by which an unknown gateway can connect. */
export type GatewayLinkKind = Exclude<LinkKind, 'relay'>;

/** The link by which an id connected, and its address unless the link is a broker. */
export interface GatewayOrigin {
  way: GatewayLinkKind;
  address?: string | undefined;
}

/** A gateway that is not registered, and how it connects. */
export interface UnknownGateway {
  readonly id: string;
  readonly link: GatewayLinkKind;
  /** The network of its first address: each network has a share of the list. */
  readonly network?: string | undefined;
  readonly times: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export interface UnknownGateways {
  /** Call it when a gateway was refused. */
  recordUnregistered(id: string, from: GatewayOrigin): void;
  /** Unknown gateways of the last hour, the latest first. */
  list(): UnknownGateway[];
}

const listedMs = 3_600_000;
/** Applies when the list is full: gateways send at least every half a minute. */
const silentMs = 120_000;

interface UnknownGatewaysOptions {
  now: () => Date;
  /** Called when the list has no place for a gateway. */
  onLeftOut: () => void;
  /** `HILLTOP_LIST_UNREGISTERED`. */
  isEnabled?: boolean;
  most?: number;
}

/**
 * Lists unknown gateways, so that users can register them with a click. Ids can be forged, so the list is short: it
 * first drops gateways that sent once or were silent for two minutes, and keeps those that send as gateways do. One
 * network has a quarter of the list at most.
 */
export function createUnknownGateways({
  now,
  onLeftOut,
  isEnabled = true,
  most = 200,
}: UnknownGatewaysOptions): UnknownGateways {
  /** In the order of their last messages, the oldest first. */
  const known = new Map<string, UnknownGateway>();

  /** Drops one of `among`, which are ordered by time, when they exceed `room`; false when none may be dropped. */
  function makeRoom(among: ReadonlyMap<string, UnknownGateway>, room: number, atMs: number): boolean {
    if (among.size < room) return true;
    const [oldest] = among.values();
    const dropped =
      oldest && atMs - oldest.lastAt.getTime() > silentMs ? oldest : among.values().find(({ times }) => times === 1);
    return dropped !== undefined && known.delete(dropped.id);
  }

  function hasRoom(network: string | undefined, atMs: number): boolean {
    if (network === undefined) return makeRoom(known, most, atMs);
    const sameNetwork = new Map(known.entries().filter(([, gateway]) => gateway.network === network));
    return makeRoom(sameNetwork, most / 4, atMs) && makeRoom(known, most, atMs);
  }

  return {
    recordUnregistered(id, { way, address }) {
      if (!isEnabled) return;
      const at = now();
      const before = known.get(id);
      const network = before ? before.network : address && networkOf(address);
      if (!before && !hasRoom(network, at.getTime())) return onLeftOut();
      const { times, firstAt } = before ?? { times: 0, firstAt: at };
      setLatest(known, most, id, { id, link: way, network, times: times + 1, firstAt, lastAt: at });
    },
    list() {
      const sinceMs = now().getTime() - listedMs;
      return [...known.values()].filter(({ lastAt }) => lastAt.getTime() >= sinceMs).reverse();
    },
  };
}
