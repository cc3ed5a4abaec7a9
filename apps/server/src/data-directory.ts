import { existsSync } from 'node:fs';
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';

/** For commands that read the embedded database. */
export const noDatabaseAt = (file: string): string =>
  `There is no database at ${file}: HILLTOP_DATA names its directory.`;

/** The files in a data directory. */
export function filesIn(path: string) {
  return {
    databaseFile: join(path, 'hilltop.db'),
    historyFile: join(path, 'history.db'),
    lockFile: join(path, 'hilltop.lock'),
    encryptionKeyFile: join(path, 'encryption.key'),
    tokenKeyFile: join(path, 'token.key'),
  };
}

/** The file that becomes this one at the end of a restore; while it exists, the directory is incomplete. */
export const restoringFile = (file: string): string => `${file}.restoring`;

const sticky = 0o1000;

/** The directory with the embedded database and the keys. */
export interface DataDirectory {
  path: string;
  databaseFile: string;
  /** The history of devices beside the embedded database. */
  historyFile: string;
  lockFile: string;
  /** Whether the directory contains the encryption key of an installation. */
  hasKeys: boolean;
}

/** Creates the directory if it is missing, and makes it and its content readable by their owner only. */
export async function openDataDirectory(path: string, log: Logger): Promise<DataDirectory> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const { databaseFile, historyFile, lockFile, encryptionKeyFile, tokenKeyFile } = filesIn(path);
  const hasKeys = existsSync(encryptionKeyFile);
  // SQLite would make it readable for all.
  await (await open(lockFile, 'a', 0o600)).close();
  // The mode of a shared directory, such as /tmp, is not changed.
  if (((await stat(path)).mode & sticky) === 0) await restrict(path, 0o700, log);
  const ofDatabase = [databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`, lockFile];
  const ofHistory = [historyFile, `${historyFile}-wal`, `${historyFile}-shm`];
  for (const file of [encryptionKeyFile, tokenKeyFile, ...ofDatabase, ...ofHistory]) await restrict(file, 0o600, log);
  return { path, databaseFile, historyFile, lockFile, hasKeys };
}

async function restrict(path: string, mode: number, log: Logger): Promise<void> {
  await chmod(path, mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') log.warn({ err: error, path }, 'others may read this: its mode could not be changed');
  });
}
