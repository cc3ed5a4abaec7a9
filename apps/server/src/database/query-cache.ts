import { setLatest } from '../latest-n.ts';
import type { Database } from './database.ts';
import type { WatchedTable } from './watch.ts';

/** So often is looked whether another process has written. */
const lookEveryMs = 50;

/**
 * Answers to reads, in memory for as long as they are true: the database tells of every row of `sources` that is written
 * in this process, whoever writes it. On PostgreSQL, where it does not, nothing is kept. What is kept is shared: nobody
 * may change it.
 */
export function createQueryCache<Value>(database: Database, sources: readonly WatchedTable[], most: number) {
  /** One that a transaction has made and that is not on disk yet is not true yet. */
  const kept = new Map<string, { value: Value; isTrue: boolean }>();
  let changes = 0;
  let isWatched = false;
  let looked = { at: Number.NEGATIVE_INFINITY, written: undefined as number | undefined };

  function forget(key: string | null): void {
    changes += 1;
    if (key === null) kept.clear();
    else kept.delete(key);
  }

  function look(): void {
    const at = performance.now();
    if (at - looked.at < lookEveryMs) return;
    const written = database.writtenElsewhere();
    if (written !== looked.written) forget(null);
    looked = { at, written };
  }

  /** Stands for the state that is read now; undefined where that is not what all others see, or nobody tells of changes. */
  function stateNow(): number | undefined {
    if (!database.watch || !database.isSettled()) return undefined;
    if (!isWatched) {
      database.watch(sources, forget);
      isWatched = true;
    }
    return changes;
  }

  function get(key: string): Value | undefined {
    look();
    const found = kept.get(key);
    return found?.isTrue ? found.value : undefined;
  }

  return {
    get,
    /** The answer that is kept, else the one of `read`, which asks the database before it waits for anything. */
    of: async (key: string, read: () => Promise<Value | undefined>): Promise<Value | undefined> => {
      const known = get(key);
      if (known !== undefined) return known;
      const before = stateNow();
      const value = await read();
      if (value !== undefined && before === changes && !kept.has(key))
        setLatest(kept, most, key, { value, isTrue: true });
      return value;
    },
    /**
     * To be called before one row of an answer is changed; undefined where none is kept. What it answers makes of the
     * former answer the one that is true once the current transaction is on disk, unless anything else changes as well.
     */
    changing: (key: string): ((change: (former: Value) => Value) => void) | undefined => {
      const former = kept.get(key);
      if (!former) return undefined;
      const before = changes;
      return (change) => {
        if (changes !== before + 1 || kept.has(key)) return;
        const made = { value: change(former.value), isTrue: false };
        kept.set(key, made);
        database.afterCommit(() => (made.isTrue = true));
      };
    },
  };
}
