import { statfs } from 'node:fs/promises';

/** With less, SQLite can still write into pages that it has allocated, but other writes fail. */
const fewestFreeBytes = 2 ** 20;

/** Whether the disk of a directory has too little space for the next writes. */
export async function lacksSpace(directory: string, readSpace: typeof statfs = statfs): Promise<boolean> {
  const { bavail, bsize } = await readSpace(directory);
  return bavail * bsize < fewestFreeBytes;
}
