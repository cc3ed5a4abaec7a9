import type { Clock } from './clock.ts';

/** PUSH_DATA that wait for their PUSH_ACK, by token. */
export interface Unanswered {
  /** Resolves with true at the acknowledgement, and with false when none arrives in time. */
  wait(token: number): Promise<boolean>;
  /** Whether a request with this token was waiting. */
  acknowledge(token: number): boolean;
  /** Ends requests that have waited too long. */
  sweep(): void;
  close(): void;
}

const ackTimeoutMs = 5000;

export function createUnanswered(clock: Clock): Unanswered {
  const waiting = new Map<number, { sinceMs: number; resolve: (acknowledged: boolean) => void }>();

  function settle(token: number, acknowledged: boolean): boolean {
    const entry = waiting.get(token);
    waiting.delete(token);
    entry?.resolve(acknowledged);
    return entry !== undefined;
  }

  return {
    wait(token) {
      settle(token, false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.set(token, { sinceMs: clock.monotonicMs(), resolve });
      return promise;
    },
    acknowledge: (token) => settle(token, true),
    sweep() {
      for (const [token, { sinceMs }] of waiting) {
        if (clock.monotonicMs() - sinceMs < ackTimeoutMs) return;
        settle(token, false);
      }
    },
    close() {
      for (const token of [...waiting.keys()]) settle(token, false);
    },
  };
}
