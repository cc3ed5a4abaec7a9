import { Worker } from 'node:worker_threads';
import { refusal } from '@hilltop/contract';
import { bareEnvironment } from '../../bare-environment.ts';
import { commandLineOf } from '../../command-line-of.ts';
import type { Report } from '../report/report.ts';
import type { UploadedFile } from './upload-access.ts';

/** The input of the thread. */
export interface DryRunInput {
  /** The file of the application server comes first. */
  files: readonly UploadedFile[];
  /** The ports at which this server listens. */
  ownPorts: readonly number[];
}

/** The error code of Node.js. */
export const outOfMemory = 'ERR_WORKER_OUT_OF_MEMORY';
const mostMs = 120_000;
const mostMB = 500;

/**
 * Dry runs of uploaded files, one at a time. Refusals: another one is running; it takes longer than two minutes or more
 * than 500 MB; a server disconnected during the run.
 */
export function createUploadedDryRun(): (asked: DryRunInput) => Promise<Report> {
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

const tooLong = () => refusal('DRY_RUN_TOO_LONG', { command: commandLineOf('import-v3', '--dry-run') });

async function inThread(workerData: DryRunInput): Promise<Report> {
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  const thread = new Worker(new URL('./dry-run-thread.ts', import.meta.url), {
    workerData,
    // The PostgreSQL client takes missing values from the environment, which may have passwords of this server.
    env: { ...bareEnvironment, PGPASSWORD: 'none' },
    resourceLimits: { maxOldGenerationSizeMb: mostMB },
  });
  const timer = setTimeout(() => reject(tooLong()), mostMs);
  thread.on('message', resolve);
  thread.on('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === outOfMemory
        ? tooLong()
        : refusal('DRY_RUN_STOPPED', { problem: error.message.replace(/\.$/, '') }),
    ),
  );
  // Not awaited, so that it does not delay a stop of the server.
  thread.unref();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
