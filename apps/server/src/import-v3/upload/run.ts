import { Worker } from 'node:worker_threads';
import { refusal } from '@hilltop/contract';
import type { Report } from '../report/report.ts';
import type { UploadedFile } from './reach.ts';

/** What the thread is given. */
export interface Asked {
  /** That of the application server first. */
  files: readonly UploadedFile[];
  /** Where this server listens itself. */
  ownPorts: readonly number[];
}

/** As Node.js calls it. */
export const outOfMemory = 'ERR_WORKER_OUT_OF_MEMORY';
const mostMs = 120_000;
const mostMB = 500;

/**
 * Dry runs of uploaded files, one at a time. Refusals: one is under way; it takes longer than two minutes or more than 500
 * MB; a server went away in the middle.
 */
export function createUploadedDryRun(): (asked: Asked) => Promise<Report> {
  let isRunning = false;
  return async (asked) => {
    if (isRunning) throw refusal('DRY_RUN_UNDER_WAY');
    isRunning = true;
    try {
      return await inThread(asked);
    } finally {
      isRunning = false;
    }
  };
}

async function inThread(workerData: Asked): Promise<Report> {
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  const thread = new Worker(new URL('./dry-run-thread.ts', import.meta.url), {
    workerData,
    // What a file leaves out PostgreSQL's client takes from the environment: passwords of this server are for nobody else.
    env: { PGPASSWORD: 'none' },
    resourceLimits: { maxOldGenerationSizeMb: mostMB },
  });
  const timer = setTimeout(() => reject(refusal('DRY_RUN_TOO_LONG')), mostMs);
  thread.on('message', resolve);
  thread.on('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === outOfMemory
        ? refusal('DRY_RUN_TOO_LONG')
        : refusal('DRY_RUN_STOPPED', { problem: error.message.replace(/\.$/, '') }),
    ),
  );
  // The server stops without waiting for it.
  thread.unref();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
