import type { AcquireWriter } from './sqlite-driver.ts';
import { openWalIndex } from './wal-index.ts';

export interface OwnCommits {
  /** The given queue: each holder of the writer commits at most one transaction, and says so when it releases it. */
  acquireWriter: AcquireWriter;
  /** A number that changes when another process commits. */
  ofOthers: () => number;
  close: () => void;
}

/**
 * Tells commits of other processes from those of this one. With several connections that write, `pragma data_version`
 * changes with each commit of this process as well.
 */
export function ownCommits(path: string, acquireWriter: AcquireWriter): OwnCommits {
  const { changes, close } = openWalIndex(path);
  let own = 0;
  let inProgressSince: number | undefined;
  const ofOthers = () => ((inProgressSince ?? changes()) - own) >>> 0;
  return {
    acquireWriter: async () => {
      const release = await acquireWriter();
      const before = changes();
      inProgressSince = before;
      return (isCommitted = false) => {
        // All other commits meanwhile were those of other processes.
        if (isCommitted) own += Math.min((changes() - before) >>> 0, 1);
        inProgressSince = undefined;
        release();
      };
    },
    ofOthers,
    close,
  };
}
