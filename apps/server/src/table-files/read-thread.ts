/** Reads uploaded tables away from the main thread: uplinks do not wait for them. */
import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../thread-priority.ts';
import { readCSV } from './csv.ts';
import { type TableFile, UnusableTable } from './table.ts';
import { readXLSX } from './xlsx.ts';

export type TableOutput = { table: TableFile } | { unusable: string };

const startsWith = (bytes: Uint8Array, hex: string) => bytes.subarray(0, hex.length / 2).toHex() === hex;

function readTable(bytes: Uint8Array): TableFile {
  if (startsWith(bytes, '504b0304')) return readXLSX(bytes);
  if (startsWith(bytes, 'd0cf11e0'))
    throw new UnusableTable('This is an old or protected Excel file. Save it as XLSX or CSV without a password.');
  return readCSV(bytes);
}

function attempt(bytes: Uint8Array): TableOutput {
  try {
    return { table: readTable(bytes) };
  } catch (error) {
    if (error instanceof UnusableTable) return { unusable: error.message };
    throw error;
  }
}

lowerThreadPriority();
parentPort!.postMessage(attempt(workerData as Uint8Array));
