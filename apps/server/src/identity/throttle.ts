import { setLatest } from '../latest-n.ts';

/**
 * Token buckets by key: `perMinute` attempts in a minute, refilled steadily up to `most`, so that no key is locked out
 * for good.
 */
export interface Throttle {
  /** Takes one attempt. Answers 0, or the seconds to wait until one is available. */
  take: (key: string) => number;
  /** Returns an attempt that succeeded. */
  giveBack: (key: string) => void;
}

const mostKeys = 10_000;

export function createThrottle(perMinute: number, now: () => number, most = perMinute): Throttle {
  const buckets = new Map<string, { left: number; at: number }>();
  const perMs = perMinute / 60_000;

  function refilled(key: string) {
    const bucket = buckets.get(key) ?? { left: most, at: now() };
    bucket.left = Math.min(most, bucket.left + (now() - bucket.at) * perMs);
    bucket.at = now();
    setLatest(buckets, mostKeys, key, bucket);
    return bucket;
  }

  return {
    take: (key) => {
      const bucket = refilled(key);
      if (bucket.left < 1) return Math.ceil((1 - bucket.left) / perMs / 1000);
      bucket.left -= 1;
      return 0;
    },
    giveBack: (key) => {
      const bucket = refilled(key);
      bucket.left += 1;
      // A full bucket equals a missing one, and would only displace others.
      if (bucket.left >= most) buckets.delete(key);
    },
  };
}
