import { Worker } from 'node:worker_threads';
import { refusal } from '@hilltop/contract';
import { bareEnvironment } from './bare-environment.ts';

const mostMs = 60_000;
const mostMB = 384;

/** Reads an uploaded or downloaded file in its own thread. Refuses one that takes too much time or memory. */
export async function runFileThread<Output>(file: URL, { name, input }: { name: string; input: unknown }) {
  const { promise, resolve, reject } = Promise.withResolvers<Output>();
  const thread = new Worker(file, {
    name,
    workerData: input,
    env: bareEnvironment,
    resourceLimits: { maxOldGenerationSizeMb: mostMB },
  });
  const timer = setTimeout(() => reject(refusal('FILES_TOO_LARGE')), mostMs);
  thread.on('message', resolve);
  thread.on('error', () => reject(refusal('FILES_TOO_LARGE')));
  thread.on('exit', () => reject(refusal('FILES_TOO_LARGE')));
  // Not awaited, so that it does not delay a stop of the server.
  thread.unref();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
