import { commandLineOf } from './command-line-of.ts';
import { lacksSpace } from './database/free-space.ts';
import { isDamage, isDiskFull, isFileFailure } from './database/storage-failure.ts';
import { Unreachable } from './database/unreachable.ts';

/**
 * A problem with the settings or the environment that the person who starts the server can correct; shown as one line.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}

type Failure = Error & { code?: string; errcode?: number };

const listening: Record<string, string> = {
  EADDRINUSE: 'is in use by another program: stop that one or choose another address',
  EACCES: 'may not be opened by this user: choose a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine',
  ENOTFOUND: 'is not an address that can be found',
};

/** For a socket that could not be opened; `setting` names the setting with its address. */
export function cannotListen(
  setting: string,
  { host, port }: { host: string; port: number },
  error: unknown,
): StartError {
  const { code = '', message } = error as Failure;
  return new StartError(`${host}:${port} (${setting}) ${listening[code] ?? `could not be opened: ${message}`}.`);
}

export function cannotUseDirectory(path: string, error: unknown): StartError {
  const { code = '', message } = error as Failure;
  const reason =
    code === 'ENOENT'
      ? 'cannot be made because the directory above it does not exist'
      : { EACCES: 'may not be written by this user', ENOTDIR: 'is not a directory', EEXIST: 'is not a directory' }[
          code
        ];
  return new StartError(`The data directory ${path} (HILLTOP_DATA) ${reason ?? `cannot be used: ${message}`}.`, {
    cause: error,
  });
}

export function cannotOpenDatabase(where: string, error: unknown): StartError {
  const { code, message } = innermost(error);
  const reason = code === 'ECONNREFUSED' ? 'nothing listens there' : message;
  return new StartError(`The database at ${where} cannot be used: ${reason}.`, { cause: error });
}

/** Explains a start that failed because of damage or because the disk is full; returns other errors as they are. */
export async function startFailure(
  error: unknown,
  { data, databaseURL }: { data: string; databaseURL: string },
  lacksSpaceAt: (directory: string) => Promise<boolean> = lacksSpace,
): Promise<unknown> {
  if (isDamage(error))
    return new StartError(
      `The database in ${data} (HILLTOP_DATA) is damaged: keep a copy of the directory, run "${commandLineOf('start', '--check')}" and restore the last backup that passes it.`,
      { cause: error },
    );
  const isOwn = databaseURL === '';
  const isFull = isDiskFull(error) || (isOwn && isFileFailure(error) && (await lacksSpaceAt(data).catch(() => false)));
  if (!isFull) return error;
  const where = isOwn ? `${data} (HILLTOP_DATA)` : 'the database at HILLTOP_DATABASE_URL';
  return new StartError(`The disk of ${where} is full: free some space, then start again.`, { cause: error });
}

/** Undefined means the database of HILLTOP_DATABASE_URL. */
export function alreadyRunning(directory: string | undefined): StartError {
  return new StartError(
    directory === undefined
      ? 'Another Hilltop is running with the database at HILLTOP_DATABASE_URL: stop that one, choose another database, or give both the same HILLTOP_REDIS_URL to work together.'
      : `Another Hilltop is running with the data directory ${directory} (HILLTOP_DATA): stop that one or choose another directory.`,
  );
}

/** Settings that differ between instances on one database. */
export function disagrees(setting: string, other: string): StartError {
  return new StartError(
    `${setting} is not the same here as at the instance "${other}", which is running: instances on one database need the same.`,
  );
}

/** Keys without their database: starting anew would hide the loss. */
export function lostDatabase(where: string, directory: string): StartError {
  return new StartError(
    `The database at ${where} is empty or missing, but ${directory} has the keys of an installation: restore the database from a backup, set HILLTOP_DATABASE_URL to where it is, or move encryption.key away to begin a new one.`,
  );
}

/** A restore that was begun and has not ended. */
export function interruptedRestore(where: string): StartError {
  return new StartError(
    `A restore of the database at ${where} was interrupted, so it is incomplete: run "${commandLineOf('restore', 'FILE --replace')}" again.`,
  );
}

export function wrongKey(path: string): StartError {
  return new StartError(
    `The file encryption.key in ${path} is not the one the database was written with: restore it from a backup.`,
  );
}

/** A new key could not decrypt anything. `setting` names the file by its path. */
export function missingKey(file: string, path: string, setting: string): StartError {
  return new StartError(
    `The file ${file} is missing in ${path} (HILLTOP_DATA), and the database was written with it: copy it there from another instance or from a backup, or name it by ${setting}.`,
  );
}

export function wrongTokenKey(): StartError {
  return new StartError(
    'The key of HILLTOP_TOKEN_KEY_FILE or token.key in HILLTOP_DATA is not the one that instances of this database had before: give this one the same. To change it, end all of them and start one without HILLTOP_REDIS_URL once.',
  );
}

/**
 * The innermost error: connecting to a name with several addresses fails with several errors, of which the first is
 * used.
 */
function innermost(error: unknown): Failure {
  if (error instanceof Unreachable) return innermost(error.cause);
  return error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as Failure) : (error as Failure);
}
