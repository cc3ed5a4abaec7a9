import type { Clock } from './runtime.ts';

/** Pauses that can be ended early: `end` ends all current and later ones at once. */
export interface Pauses {
  wait(ms: number): Promise<void>;
  end(): void;
  isEnded(): boolean;
}

export function createPauses(clock: Clock): Pauses {
  const waking = new Set<() => void>();
  let isEnded = false;
  return {
    async wait(ms) {
      if (isEnded) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(ms, resolve);
      waking.add(resolve);
      await promise;
      waking.delete(resolve);
      cancel();
    },
    end() {
      isEnded = true;
      for (const wake of waking) wake();
    },
    isEnded: () => isEnded,
  };
}
