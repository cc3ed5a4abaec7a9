import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

export interface WalFlush {
  /** Resolves when all that was committed before is on disk. Calls that come together share one trip to the disk. */
  flush: () => Promise<void>;
  /** After what is under way. */
  close: () => Promise<void>;
}

/**
 * Brings SQLite's write-ahead log to disk without stopping the process for it: with synchronous=NORMAL a commit only
 * appends to the log, and whoever committed waits here until the log has been synced. Order is kept because the log is.
 */
export function walFlush(databasePath: string): WalFlush {
  let log: number | undefined;
  let underway: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  /** The log's file stays the same while the database is open; its name must survive a power cut too. */
  function open(): number {
    const file = openSync(`${databasePath}-wal`, 'r+');
    if (process.platform === 'win32') return file;
    const directory = openSync(dirname(databasePath), 'r');
    fsyncSync(directory);
    closeSync(directory);
    return file;
  }

  function sync(): Promise<void> {
    log ??= open();
    const file = log;
    underway = new Promise<void>((resolve) => {
      fdatasync(file, (error) => {
        // Nobody knows what of the log is on disk now, and asking again may answer "all" wrongly: only a new start tells.
        if (error) throw new Error(`The disk did not take the database's log (${error.code}).`, { cause: error });
        underway = undefined;
        resolve();
      });
    });
    return underway;
  }

  function flush(): Promise<void> {
    if (!underway) return sync();
    // What is under way may have begun before the last commit: only the one after it counts for that.
    next ??= underway.then(() => {
      next = undefined;
      return sync();
    });
    return next;
  }

  return {
    flush,
    close: async () => {
      while (underway || next) await (next ?? underway);
      if (log !== undefined) closeSync(log);
      log = undefined;
    },
  };
}
