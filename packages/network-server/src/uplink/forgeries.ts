import type { Clock } from '../platform/runtime.ts';

/** Frames with a wrong code within this time make a DevAddr suspect. */
const rememberMs = 10_000;
const suspectFrom = 5;
/** Of one DevAddr and gateway: frames without a right code that wait for the device's turn to be looked at again. */
const mostWaiting = 20;
/** Beyond this many the DevAddr that had one longest ago is forgotten. */
const most = 10_000;

/**
 * DevAddrs under which frames with a wrong code come. Keys are arrival lanes. A frame whose code is wrong now may be right
 * when the uplinks before it are done, as after a change of session: some of each gateway may wait for that.
 */
export function createForgeries(clock: Clock) {
  const failures = new Map<string, { times: number; until: number }>();
  const waiting = new Map<string, number>();

  return {
    /** The code of a frame fitted no session. */
    note(arrival: string): void {
      const now = clock.monotonicMs();
      const known = failures.get(arrival);
      const times = known && now < known.until ? known.times + 1 : 1;
      failures.delete(arrival);
      failures.set(arrival, { times, until: now + rememberMs });
      const [oldest] = failures.keys();
      if (failures.size > most && oldest !== undefined) failures.delete(oldest);
    },
    isSuspect(arrival: string): boolean {
      const known = failures.get(arrival);
      return known !== undefined && known.times >= suspectFrom && clock.monotonicMs() < known.until;
    },
    /** A place to wait, or null when none is left; the answer gives it back. */
    wait(arrival: string, gatewayID: string): (() => void) | null {
      const key = `${arrival}/${gatewayID}`;
      const others = waiting.get(key) ?? 0;
      if (others >= mostWaiting) return null;
      waiting.set(key, others + 1);
      return () => {
        const left = (waiting.get(key) ?? 1) - 1;
        if (left > 0) waiting.set(key, left);
        else waiting.delete(key);
      };
    },
  };
}
