import type { Clock } from '@hilltop/network-server';
import { LRUCache } from 'lru-cache';

const minuteMs = 60_000;
const mostRemembered = 10_000;

/** Permits one entry a minute for each key: strangers can make no more of them. */
export class OnceAMinute {
  readonly #last = new LRUCache<string, number>({ max: mostRemembered });
  readonly #clock: Pick<Clock, 'monotonicMs'>;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  take(key: string): boolean {
    const now = this.#clock.monotonicMs();
    const last = this.#last.get(key);
    if (last !== undefined && now - last < minuteMs) return false;
    this.#last.set(key, now);
    return true;
  }
}
