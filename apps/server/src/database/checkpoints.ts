import { once } from 'node:events';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

export interface Checkpoints {
  /** Call it after each commit. */
  consider: () => void;
  /** Closes after the copy under way. */
  close: () => Promise<void>;
}

/**
 * The length of the log is read this long after a commit: reading it at each commit took 2 % of the time of an uplink.
 */
const checkAfterMs = 20;
/** The number of log pages that are copied at a time: 16 MB. */
const copiedTogether = 4000;
/** The number of pages at which SQLite copies within a commit, in case the thread is too slow: 64 MB. */
export const mostLogPages = 16_000;

/**
 * Copies SQLite's log into the database file on another thread, while the process continues to write to the log: within a
 * commit it would block the process for some ten milliseconds. Pages that were added meanwhile follow with the writer held,
 * because SQLite only starts the log again when all of it is copied. `acquireWriter` answers a function that releases it.
 */
export function checkpoints(path: string, writer: DatabaseSync, acquireWriter: () => Promise<() => void>): Checkpoints {
  writer.exec(`pragma wal_autocheckpoint = ${mostLogPages}`);
  const state = writer.prepare('pragma wal_checkpoint(noop)');
  const thread = new CheckpointThread(path);
  let underway: Promise<void> | undefined;
  let look: NodeJS.Timeout | undefined;
  /**
   * The next copy starts at this number of pages, so that pages that a reader blocks are not retried with each commit.
   */
  let next = copiedTogether;

  function waiting(): number {
    const { log, checkpointed } = state.get() as { log: number; checkpointed: number };
    return log - checkpointed;
  }

  async function run(): Promise<void> {
    await thread.copy();
    const release = await acquireWriter();
    try {
      await thread.copy();
      next = waiting() + copiedTogether;
    } finally {
      release();
    }
  }

  /** A statement that runs on the connection locks it: the next commit looks again. */
  function isLong(): boolean {
    try {
      return waiting() >= next;
    } catch {
      return false;
    }
  }

  function copyWhenLong(): void {
    look = undefined;
    if (underway || !isLong()) return;
    underway = run()
      .catch(() => (next = 2 * copiedTogether))
      .then(() => {
        underway = undefined;
      });
  }

  return {
    consider() {
      look ??= setTimeout(copyWhenLong, checkAfterMs).unref();
    },
    close: async () => {
      clearTimeout(look);
      await underway;
      await thread.close();
    },
  };
}

/** The thread that copies the log. */
class CheckpointThread {
  readonly #path: string;
  #worker: Worker | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Rejects when the disk failed or the thread ended; the next copy starts a new thread. */
  async copy(): Promise<void> {
    const worker = (this.#worker ??= this.#start());
    const gone = new AbortController();
    const end = () => gone.abort();
    worker.once('exit', end);
    worker.ref();
    try {
      worker.postMessage('copy');
      const [failure] = (await once(worker, 'message', { signal: gone.signal })) as [unknown];
      if (failure !== undefined) throw failure;
    } finally {
      worker.off('exit', end);
      worker.unref();
    }
  }

  async close(): Promise<void> {
    if (!this.#worker) return;
    const gone = once(this.#worker, 'exit');
    this.#worker.ref();
    this.#worker.postMessage('close');
    await gone;
  }

  #start(): Worker {
    const worker = new Worker(new URL('checkpoint-thread.ts', import.meta.url), { workerData: this.#path });
    worker.unref();
    const gone = () => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    worker.on('error', gone);
    worker.on('exit', gone);
    return worker;
  }
}
