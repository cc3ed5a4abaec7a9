import type { LinkKind } from '@hilltop/network-server';
import { keepLatest } from '../keep-latest.ts';

/** How one can come near. */
export type Way = Exclude<LinkKind, 'relay'>;

/** A gateway that nobody registered, and how it tried to be heard. */
export interface Stranger {
  readonly id: string;
  readonly link: Way;
  readonly times: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export interface Strangers {
  /** One was turned away. */
  knock(id: string, link: Way): void;
  /** Those of the last hour, the latest first. */
  list(): Stranger[];
}

const keptMs = 3_600_000;
/** Where places are scarce: gateways say something every half a minute. */
const silentMs = 120_000;

interface Needed {
  now: () => Date;
  /** One found no place any more. */
  onLeftOut: () => void;
  most?: number;
}

/**
 * Unknown gateways, so that they can be registered by a click. Anybody can make ids up, so there are places for few: one
 * that came once or was silent for two minutes gives way, one that keeps knocking as gateways do stays.
 */
export function createStrangers({ now, onLeftOut, most = 200 }: Needed): Strangers {
  /** The one that knocked longest ago is the first. */
  const known = new Map<string, Stranger>();

  function place(atMs: number): boolean {
    if (known.size < most) return true;
    const [longestAgo] = known.values();
    const gone =
      longestAgo && atMs - longestAgo.lastAt.getTime() > silentMs
        ? longestAgo
        : known.values().find(({ times }) => times === 1);
    return gone !== undefined && known.delete(gone.id);
  }

  return {
    knock(id, link) {
      const at = now();
      const before = known.get(id);
      if (!before && !place(at.getTime())) return onLeftOut();
      const { times, firstAt } = before ?? { times: 0, firstAt: at };
      keepLatest(known, most, id, { id, link, times: times + 1, firstAt, lastAt: at });
    },
    list() {
      const sinceMs = now().getTime() - keptMs;
      return [...known.values()].filter(({ lastAt }) => lastAt.getTime() >= sinceMs).reverse();
    },
  };
}
