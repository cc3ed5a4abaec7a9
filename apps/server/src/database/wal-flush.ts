import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

export interface WalFlush {
  /** Resolves when everything committed before is on disk. Concurrent calls share one sync. */
  flush: () => Promise<void>;
  /** Waits for all flushes first. */
  close: () => Promise<void>;
}

/**
 * Writes SQLite's write-ahead log to disk without blocking the process: with synchronous=NORMAL a commit only appends
 * to the log, and its caller waits here until the log has been synced. Commits reach the disk in their order in the
 * log.
 */
export function walFlush(databasePath: string): WalFlush {
  let log: number | undefined;
  let underway: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  /** The log file stays the same while the database is open; its directory entry must survive a power failure too. */
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
        // It is now unknown which part of the log is on disk, and another sync may wrongly succeed: only a new start
        // reads the file.
        if (error) throw new Error(`The disk did not take the database's log (${error.code}).`, { cause: error });
        underway = undefined;
        resolve();
      });
    });
    return underway;
  }

  function flush(): Promise<void> {
    if (!underway) return sync();
    // The current sync may have begun before the last commit: only the next one includes it.
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
