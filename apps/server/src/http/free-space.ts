import { statfs } from 'node:fs/promises';

/** With less, SQLite can still write into pages that it has allocated, but other writes fail. */
const fewestFreeBytes = 2 ** 20;

/** Rejects when the disk of a directory has too little space for the next writes. */
export async function checkFreeSpace(directory: string, readSpace: typeof statfs = statfs): Promise<void> {
  const { bavail, bsize } = await readSpace(directory);
  if (bavail * bsize < fewestFreeBytes) throw new Error(`The disk of ${directory} has less than 1 MB of room.`);
}
