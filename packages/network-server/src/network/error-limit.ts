import type { as } from '@hilltop/protobuf';
import type { Clock, Count } from '../platform/runtime.ts';

const everyMs = 60_000;
/** Beyond this many the device and type that had an error longest ago are forgotten. */
const most = 10_000;

export interface ErrorLimit {
  /**
   * How many errors of this type were left out since the last one that the application got; null: this one is left out,
   * too. Returns the same for the same uplink, which is decided again when its commit failed.
   */
  leftOut(of: object, devEUI: string, type: as.ErrorType): number | null;
}

/**
 * Anybody near a gateway, or with its EUI, can send any number of frames under the address of a device. So the
 * application gets one error a minute for each device and type, with the number of those that were left out.
 */
export function createErrorLimit(clock: Clock, count: Count): ErrorLimit {
  const told = new Map<string, { until: number; leftOut: number }>();
  const decided = new WeakMap<object, number | null>();

  function decide(key: string, type: as.ErrorType): number | null {
    const now = clock.monotonicMs();
    const known = told.get(key);
    if (known && now < known.until) {
      known.leftOut += 1;
      count('error_events_left_out', { type });
      return null;
    }
    told.delete(key);
    told.set(key, { until: now + everyMs, leftOut: 0 });
    const [oldest] = told.keys();
    if (told.size > most && oldest !== undefined) told.delete(oldest);
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
