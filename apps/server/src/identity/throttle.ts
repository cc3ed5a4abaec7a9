import { setLatest } from '../latest-n.ts';

/** Token buckets by key: `perMinute` tries in a minute, refilled steadily up to `most`. Nobody is locked out for good. */
export interface Throttle {
  /** Takes one try. Answers 0, or the seconds to wait until there is one. */
  take: (key: string) => number;
  /** Gives it back: the try was a good one. */
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
      // A full one says nothing, and would only push out one that does.
      if (bucket.left >= most) buckets.delete(key);
    },
  };
}
