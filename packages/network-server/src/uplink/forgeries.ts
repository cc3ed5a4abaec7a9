import type { Clock } from '../platform/runtime.ts';

/** How long a DevAddr with frames with a wrong MIC is suspect. */
const rememberMs = 10_000;
const suspectFrom = 5;
/** For each DevAddr and gateway: frames with a wrong MIC that wait for the queue of the device, to be checked again. */
const mostWaiting = 20;
/** With more, the DevAddr whose last one is oldest is removed. */
const most = 10_000;

/**
 * DevAddrs with forged frames, by arrival key. A MIC that is wrong now may be valid when earlier uplinks are processed,
 * as after a change of session, so some frames of each gateway may wait for that.
 */
export function createForgeries(clock: Clock) {
  const failures = new Map<string, { times: number; until: number }>();
  const waiting = new Map<string, number>();

  return {
    /** Call it when the MIC of a frame fits no session. */
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
    /** Reserves a waiting slot, or returns null when all are in use; the returned function frees it. */
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
