import { statfs } from 'node:fs/promises';

/** SQLite still writes into files that have their size already when nothing else fits on the disk. */
const fewestFreeBytes = 2 ** 20;

/** Rejects when the disk of a directory has too little room for the next writes. */
export async function checkFreeSpace(directory: string, readSpace: typeof statfs = statfs): Promise<void> {
  const { bavail, bsize } = await readSpace(directory);
  if (bavail * bsize < fewestFreeBytes) throw new Error(`The disk of ${directory} has less than 1 MB of room.`);
}
