import type { Pauses } from '../platform/pauses.ts';
import type { State } from './state.ts';

/** Knows whether storage takes writes, and waits for it when it does not. */
export interface StorageWatch {
  /**
   * What a failure was: `own` of the work alone, since storage takes writes; `storage`, which takes them again now,
   * whatever that took; `ended` when nobody shall wait any longer.
   */
  judge(error: unknown): Promise<'own' | 'storage' | 'ended'>;
}

/** Far below the 2 s in which work shall go on after storage came back. */
const askEveryMs = 500;

/** All who wait share one question: thousands of uplinks may wait while storage is away. */
export function createStorageWatch(state: State, pauses: Pauses): StorageWatch {
  let asking: Promise<boolean> | null = null;

  /** A copy that says nothing, written and removed; left behind by a crash it is nobody's uplink. */
  async function takesWrites(): Promise<boolean> {
    try {
      const ids = await state.receive(['{}']);
      return await state.commit({ writes: [{ kind: 'finish', ids }], effects: [] });
    } catch {
      return false;
    }
  }

  async function untilItDoes(): Promise<void> {
    do await pauses.wait(askEveryMs);
    while (!pauses.isEnded() && !(await takesWrites()));
  }

  let waiting: Promise<void> | null = null;
  return {
    async judge(error) {
      const isOurs = !waiting && !state.isStorageFailure(error) && (await (asking ??= takesWrites()));
      asking = null;
      if (isOurs) return pauses.isEnded() ? 'ended' : 'own';
      waiting ??= untilItDoes().finally(() => {
        waiting = null;
      });
      await waiting;
      return pauses.isEnded() ? 'ended' : 'storage';
    },
  };
}
