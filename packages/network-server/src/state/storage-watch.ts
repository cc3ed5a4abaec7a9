import type { Pauses } from '../platform/pauses.ts';
import type { State } from './state.ts';

/** Finds out whether storage accepts writes, and waits until it does. */
export interface StorageWatch {
  /**
   * The cause of a failure: `own` when storage accepts writes; `storage` when it failed and accepts writes again now,
   * however long that took; `ended` when the process stops and waiting ends.
   */
  judge(error: unknown): Promise<'own' | 'storage' | 'ended'>;
}

/** Far below the 2 s in which work must continue after storage has recovered. */
const askEveryMs = 500;

/** All waiting work shares one probe: thousands of uplinks may wait while storage fails. */
export function createStorageWatch(state: State, pauses: Pauses): StorageWatch {
  let asking: Promise<boolean> | null = null;

  /** Writes and removes an empty copy. When a crash interrupts it, the copy belongs to no uplink. */
  async function acceptsWrites(): Promise<boolean> {
    try {
      const ids = await state.receive(['{}']);
      return await state.commit({ writes: [{ kind: 'finish', ids }], effects: [] });
    } catch {
      return false;
    }
  }

  async function untilItDoes(): Promise<void> {
    do await pauses.wait(askEveryMs);
    while (!pauses.isEnded() && !(await acceptsWrites()));
  }

  let waiting: Promise<void> | null = null;
  return {
    async judge(error) {
      state.noteFailure(error);
      const isOurs = !waiting && !state.isStorageFailure(error) && (await (asking ??= acceptsWrites()));
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
