import { Worker } from 'node:worker_threads';
import { refusal } from '@hilltop/contract';
import { createQuota } from '../connections/quota.ts';
import type { Catalogue, ImportedCodec } from './catalogue-types.ts';
import type { ReadInput, ReadOutput } from './read-thread.ts';

const mostMs = 60_000;
const mostMB = 384;
const mostThreads = 2;

export interface FileReader {
  readCatalogue: (from: { zip: Uint8Array } | { folder: string }) => Promise<Catalogue>;
  readCodec: (files: Omit<Extract<ReadInput, { kind: 'codec' }>, 'kind'>) => Promise<ImportedCodec>;
}

/** Reads uploaded files in threads, at most two at a time. Refuses files that cannot be used, or take too long. */
export function createFileReader(): FileReader {
  const threads = createQuota({ all: mostThreads, each: mostThreads });
  async function inThread(input: ReadInput): Promise<ReadOutput> {
    if (!threads.take('')) throw refusal('FILES_BUSY');
    try {
      return await runThread(input);
    } finally {
      threads.giveBack('');
    }
  }
  return {
    readCatalogue: async (from) => {
      const output = await inThread({ kind: 'catalogue', from });
      if ('catalogue' in output) return output.catalogue;
      throw refusal('FILES_UNUSABLE', { problem: problemOf(output) });
    },
    readCodec: async (files) => {
      const output = await inThread({ kind: 'codec', ...files });
      if ('codec' in output) return output.codec;
      throw refusal('FILES_UNUSABLE', { problem: problemOf(output) });
    },
  };
}

const problemOf = (output: ReadOutput) => ('unusable' in output ? output.unusable : '');

async function runThread(workerData: ReadInput): Promise<ReadOutput> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadOutput>();
  const thread = new Worker(new URL('./read-thread.ts', import.meta.url), {
    name: 'device-library',
    workerData,
    env: {},
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
