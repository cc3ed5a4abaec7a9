import type { as } from '@hilltop/protobuf';
import type { Clock, Count } from '../platform/runtime.ts';

const everyMs = 60_000;
/** With more, the entry whose error is oldest is removed. */
const most = 10_000;

export interface ErrorLimit {
  /**
   * How many errors of this type were omitted since the last one that the application got; null: this one is omitted,
   * too. Returns the same for the same uplink, which is decided again when its commit failed.
   */
  leftOut(of: object, devEUI: string, type: as.ErrorType): number | null;
}

/**
 * Anybody near a gateway, or with its EUI, can send any number of frames with the address of a device. So the
 * application gets one error a minute for each device and type, with the number of omitted ones.
 */
export function createErrorLimit(clock: Clock, count: Count): ErrorLimit {
  const reported = new Map<string, { until: number; leftOut: number }>();
  const decided = new WeakMap<object, number | null>();

  function decide(key: string, type: as.ErrorType): number | null {
    const now = clock.monotonicMs();
    const known = reported.get(key);
    if (known && now < known.until) {
      known.leftOut += 1;
      count('error_events_left_out', { type });
      return null;
    }
    reported.delete(key);
    reported.set(key, { until: now + everyMs, leftOut: 0 });
    const [oldest] = reported.keys();
    if (reported.size > most && oldest !== undefined) reported.delete(oldest);
    return known?.leftOut ?? 0;
  }

  return {
    leftOut(of, devEUI, type) {
      let answer = decided.get(of);
      if (answer === undefined) {
        answer = decide(`${devEUI}/${type}`, type);
        decided.set(of, answer);
      }
      return answer;
    },
  };
}
