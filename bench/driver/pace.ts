import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `work` `count` times at an even rate (open loop): late answers do not slow the rate down, as devices in the field
 * do not wait for each other.
 */
export async function pace(perSecond: number, count: number, act: (index: number) => void): Promise<void> {
  const began = performance.now();
  const dueMs = (index: number) => (index / perSecond) * 1000;
  for (let done = 0; done < count; ) {
    const elapsed = performance.now() - began;
    while (done < count && dueMs(done) <= elapsed) act(done++);
    // At low rates, most of the driver's processor time would be that of waking up each millisecond.
    await delay(Math.max(1, Math.ceil(dueMs(done) - (performance.now() - began))));
  }
}

/** Waits until `progress` reaches `goal` or does not change for `patienceMs`. */
export async function settled(goal: number, progress: () => number, patienceMs = 4000): Promise<void> {
  let [last, since] = [progress(), performance.now()];
  while (last < goal && performance.now() - since < patienceMs) {
    await delay(20);
    if (progress() !== last) [last, since] = [progress(), performance.now()];
  }
}
