import { once } from 'node:events';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

export interface Checkpoints {
  /** To be called after each commit. */
  consider: () => void;
  /** After what is under way. */
  close: () => Promise<void>;
}

/** The log is looked at so long after a commit: asking at each took a fiftieth of the time of an uplink. */
const lookAfterMs = 20;
/** Pages of the log that are copied together: 16 MB. */
const copiedTogether = 4000;
/** Pages at which SQLite copies within a commit, should the thread not get on with it: 64 MB. */
const mostPages = 16_000;

/**
 * Copies SQLite's log into the database file on another thread, while the process goes on writing to the log: within a
 * commit it would stop everything for some ten milliseconds. What came meanwhile follows with the writer held, because a
 * log only begins anew when nothing of it is left to copy. `take` waits for the writer; its answer lets go.
 */
export function checkpoints(path: string, writer: DatabaseSync, take: () => Promise<() => void>): Checkpoints {
  writer.exec(`pragma wal_autocheckpoint = ${mostPages}`);
  const state = writer.prepare('pragma wal_checkpoint(noop)');
  let thread: Worker | undefined;
  let underway: Promise<void> | undefined;
  let look: NodeJS.Timeout | undefined;
  /** Not before so many pages wait: what a reader kept from being copied is not tried again with each commit. */
  let next = copiedTogether;

  function waiting(): number {
    const { log, checkpointed } = state.get() as { log: number; checkpointed: number };
    return log - checkpointed;
  }

  function start(): Worker {
    const worker = new Worker(new URL('checkpoint-thread.ts', import.meta.url), { workerData: path });
    worker.unref();
    const gone = () => {
      if (thread === worker) thread = undefined;
    };
    worker.on('error', gone);
    worker.on('exit', gone);
    return worker;
  }

  /** Rejects when the disk did not take it or the thread died; the next one begins again. */
  async function copy(): Promise<void> {
    const worker = (thread ??= start());
    const gone = new AbortController();
    const end = () => gone.abort();
    worker.once('exit', end);
    worker.postMessage('copy');
    const [failure] = (await once(worker, 'message', { signal: gone.signal })) as [unknown];
    worker.off('exit', end);
    if (failure !== undefined) throw failure;
  }

  async function run(): Promise<void> {
    await copy();
    const letGo = await take();
    try {
      await copy();
      next = waiting() + copiedTogether;
    } finally {
      letGo();
    }
  }

  function copyWhenLong(): void {
    look = undefined;
    if (underway || waiting() < next) return;
    underway = run()
      .catch(() => (next = 2 * copiedTogether))
      .then(() => {
        underway = undefined;
      });
  }

  return {
    consider() {
      look ??= setTimeout(copyWhenLong, lookAfterMs).unref();
    },
    close: async () => {
      clearTimeout(look);
      await underway;
      if (!thread) return;
      const gone = once(thread, 'exit');
      thread.postMessage('close');
      await gone;
    },
  };
}
