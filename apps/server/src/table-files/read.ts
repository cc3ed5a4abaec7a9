import { refusal } from '@hilltop/contract';
import { createQuota } from '../connections/quota.ts';
import { runFileThread } from '../file-thread.ts';
import type { TableOutput } from './read-thread.ts';
import type { TableFile } from './table.ts';

const mostThreads = 2;

/** Reads a CSV or XLSX file. */
type ReadTable = (bytes: Uint8Array) => Promise<TableFile>;

/** At most two files at a time. Refuses files that cannot be used, or take too long. */
export function createTableReader(): ReadTable {
  const threads = createQuota({ all: mostThreads, each: mostThreads });
  return async (input) => {
    if (!threads.take('')) throw refusal('FILES_BUSY');
    try {
      const file = new URL('./read-thread.ts', import.meta.url);
      const output = await runFileThread<TableOutput>(file, { name: 'table-files', input });
      if ('table' in output) return output.table;
      throw refusal('FILES_UNUSABLE', { problem: output.unusable });
    } finally {
      threads.giveBack('');
    }
  };
}
