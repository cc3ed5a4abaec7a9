import { setLatest } from '../latest-n.ts';
import type { Database } from './database.ts';
import type { WatchedTable } from './watch.ts';

/** How often the database is asked whether another process has written. */
const checkEveryMs = 50;

/**
 * A cache of query results that is never stale: the database reports every row of `sources` that this process writes, and
 * that entry is removed. PostgreSQL does not report rows, so there nothing is cached. Callers share cached values and must
 * not change them.
 */
export function createQueryCache<Value>(
  database: Database,
  sources: readonly WatchedTable[],
  most: number,
  monotonicMs = () => performance.now(),
) {
  /** An entry of a transaction that is not on disk yet is not committed. */
  const entries = new Map<string, { value: Value; isCommitted: boolean }>();
  const changesByKey = countChanges(most);
  let changes = 0;
  let isWatched = false;
  let lastCheck = { at: Number.NEGATIVE_INFINITY, written: undefined as number | undefined };

  function remove(key: string | null): void {
    changes += 1;
    changesByKey.note(key);
    if (key === null) entries.clear();
    else entries.delete(key);
  }

  function checkWritten(): void {
    const at = monotonicMs();
    if (at - lastCheck.at < checkEveryMs) return;
    const written = database.writtenElsewhere();
    if (written !== lastCheck.written) remove(null);
    lastCheck = { at, written };
  }

  /** The version of the state that is read now; undefined inside a transaction, or where changes are not reported. */
  function currentVersion(): number | undefined {
    if (!database.watch || !database.isSettled()) return undefined;
    if (!isWatched) {
      database.watch(sources, remove);
      isWatched = true;
    }
    return changes;
  }

  function get(key: string): Value | undefined {
    checkWritten();
    const found = entries.get(key);
    return found?.isCommitted ? found.value : undefined;
  }

  return {
    get,
    /** The cached value, else that of `read`, which must query the database before it waits for anything. */
    of: async (key: string, read: () => Promise<Value | undefined>): Promise<Value | undefined> => {
      const known = get(key);
      if (known !== undefined) return known;
      const before = currentVersion();
      const value = await read();
      if (value !== undefined && before === changes && !entries.has(key))
        setLatest(entries, most, key, { value, isCommitted: true });
      return value;
    },
    /**
     * Call it before one row of a cached value is changed; undefined when none is cached. The returned function updates
     * the cached value with the commit, unless its rows change once more.
     */
    changing: (key: string): ((change: (former: Value) => Value) => void) | undefined => {
      const former = entries.get(key);
      if (!former) return undefined;
      const changesSince = changesByKey.start(key);
      return (change) => {
        if (changesSince() !== 1 || entries.has(key)) return;
        const updated = { value: change(former.value), isCommitted: false };
        entries.set(key, updated);
        database.afterCommit(() => (updated.isCommitted = true));
      };
    },
  };
}

/** Counts the changes of rows by their keys. */
function countChanges(most: number) {
  const counted = new Map<string, { changes: number }>();
  return {
    note: (key: string | null): void => {
      const found = key === null ? undefined : counted.get(key);
      if (found) found.changes += 1;
      if (key === null) counted.clear();
    },
    /** The returned function answers the changes since; undefined when all rows changed, or another count started. */
    start: (key: string): (() => number | undefined) => {
      const own = { changes: 0 };
      setLatest(counted, most, key, own);
      return () => {
        if (counted.get(key) !== own) return undefined;
        counted.delete(key);
        return own.changes;
      };
    },
  };
}
