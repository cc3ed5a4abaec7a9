import { refusal } from '@hilltop/contract';
import { createQuota } from '../connections/quota.ts';
import { runFileThread } from '../file-thread.ts';
import type { Catalogue, ImportedCodec } from './catalogue-types.ts';
import type { ReadInput, ReadOutput } from './read-thread.ts';

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
      const file = new URL('./read-thread.ts', import.meta.url);
      return await runFileThread<ReadOutput>(file, { name: 'device-library', input });
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
