import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

/** The index of SQLite's write-ahead log, which all connections share (https://sqlite.org/walformat.html). */
export interface WalIndex {
  /** Increases by one with each transaction of any process that changed something; wraps after 32 bits. */
  changes: () => number;
  close: () => void;
}

/** `iChange` of the header. */
const offset = 8;

export function openWalIndex(databasePath: string): WalIndex {
  let file: number | undefined;
  const bytes = Buffer.alloc(4);
  const read = endianness() === 'LE' ? () => bytes.readUInt32LE() : () => bytes.readUInt32BE();
  return {
    changes: () => {
      file ??= openIfThere(`${databasePath}-shm`);
      if (file === undefined) return 0;
      readSync(file, bytes, 0, bytes.length, offset);
      return read();
    },
    close: () => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** The file is created by the first transaction. */
function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
