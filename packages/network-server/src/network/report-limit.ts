import type { Clock } from '../platform/runtime.ts';

/** With more keys, the one whose first report is oldest is forgotten. */
const mostKeys = 10_000;

export interface ReportLimit {
  /**
   * How many reports of this key were omitted in the time before, when this is the first one of a new time, otherwise 0;
   * null: this one is omitted, too. Returns the same for the same uplink, which is decided again when its commit failed.
   */
  leftOut(of: object, key: string): number | null;
}

/**
 * Anybody near a gateway, or with its EUI, can send any number of frames with the address of a device. So the
 * application gets `most` reports of a key in `everyMs`, and then the number of omitted ones.
 */
export function createReportLimit(
  clock: Clock,
  { most, everyMs, onLeftOut }: { most: number; everyMs: number; onLeftOut: (key: string) => void },
): ReportLimit {
  const reported = new Map<string, { until: number; reports: number; leftOut: number }>();
  const decided = new WeakMap<object, number | null>();

  function decide(key: string): number | null {
    const now = clock.monotonicMs();
    const known = reported.get(key);
    if (known && now < known.until) {
      known.reports += 1;
      if (known.reports <= most) return 0;
      known.leftOut += 1;
      onLeftOut(key);
      return null;
    }
    reported.delete(key);
    reported.set(key, { until: now + everyMs, reports: 1, leftOut: 0 });
    const [oldest] = reported.keys();
    if (reported.size > mostKeys && oldest !== undefined) reported.delete(oldest);
    return known?.leftOut ?? 0;
  }

  return {
    leftOut(of, key) {
      let answer = decided.get(of);
      if (answer === undefined) {
        answer = decide(key);
        decided.set(of, answer);
      }
      return answer;
    },
  };
}
