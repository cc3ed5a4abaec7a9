import { existsSync } from 'node:fs';
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';

const keys = ['encryption.key', 'token.key'];
const databaseFile = 'hilltop.db';
const lockFile = 'hilltop.lock';
const ofOwner = [...keys, databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`, lockFile];
const sticky = 0o1000;

/** The directory with the embedded database and the keys. */
export interface DataDirectory {
  path: string;
  databaseFile: string;
  lockFile: string;
  /** Whether an installation has left its encryption key here. */
  hasKeys: boolean;
}

/** Makes the directory where it is missing, and both it and what is in it readable by their owner only. */
export async function openDataDirectory(path: string, log: Logger): Promise<DataDirectory> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const directory = {
    path,
    databaseFile: join(path, databaseFile),
    lockFile: join(path, lockFile),
    hasKeys: existsSync(join(path, 'encryption.key')),
  };
  // SQLite would make it readable for all.
  await (await open(directory.lockFile, 'a', 0o600)).close();
  // A directory that everybody shares, such as /tmp, stays open.
  if (((await stat(path)).mode & sticky) === 0) await restrict(path, 0o700, log);
  for (const name of ofOwner) await restrict(join(path, name), 0o600, log);
  return directory;
}

async function restrict(path: string, mode: number, log: Logger): Promise<void> {
  await chmod(path, mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') log.warn({ err: error, path }, 'others may read this: its mode could not be changed');
  });
}
