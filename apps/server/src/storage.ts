import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { createDatabase, type Database } from './database/database.ts';
import { isKeyOf } from './database/key-check.ts';
import { type Lock, lockFile, lockPostgres, Taken } from './database/lock.ts';
import { isEmpty, migrate } from './database/migrations.ts';
import { sqlite } from './database/sqlite.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import {
  alreadyRunning,
  cannotOpenDatabase,
  cannotUseDirectory,
  lostDatabase,
  StartError,
  wrongKey,
} from './start-error.ts';

/** What an installation keeps, held by this process alone. */
export interface Storage {
  directory: DataDirectory;
  database: Database;
  secrets: Secrets;
  close: () => Promise<void>;
}

/** Opens the database of the settings with the keys that belong to it. Throws StartError; nothing is left open then. */
export async function openStorage(config: Config, log: Logger): Promise<Storage> {
  await using parts = new AsyncDisposableStack();
  const directory = await openDirectory(config.data, log);
  const { release } = await lock(config, directory, log);
  parts.defer(release);
  const database = await openDatabase(config, directory, log);
  parts.defer(() => database.close());
  // Keys are made once there is a database: later keys without one tell that it was lost.
  const secrets = await openSecrets(config.data);
  if (!(await isKeyOf(database, secrets))) throw wrongKey(config.data);
  const open = parts.move();
  return { directory, database, secrets, close: () => open.disposeAsync() };
}

async function openDirectory(path: string, log: Logger): Promise<DataDirectory> {
  try {
    return await openDataDirectory(path, log);
  } catch (error) {
    throw cannotUseDirectory(path, error);
  }
}

async function openSecrets(path: string): Promise<Secrets> {
  try {
    return await loadSecrets(path);
  } catch (error) {
    throw cannotUseDirectory(path, error);
  }
}

/** Several instances on one database are for later: then this is the place that lets them. */
async function lock({ databaseURL }: Config, directory: DataDirectory, log: Logger): Promise<Lock> {
  const where = databaseURL === '' ? directory.path : undefined;
  const takenOver = () => {
    log.fatal('another Hilltop has taken the database while the connection to it was lost: this one ends');
    process.exit(1);
  };
  try {
    return databaseURL === '' ? lockFile(directory.lockFile) : await lockPostgres(databaseURL, takenOver);
  } catch (error) {
    if (error instanceof Taken) throw alreadyRunning(where);
    throw where === undefined ? cannotOpenDatabase('HILLTOP_DATABASE_URL', error) : cannotUseDirectory(where, error);
  }
}

async function openDatabase({ databaseURL }: Config, directory: DataDirectory, log: Logger): Promise<Database> {
  const { databaseFile: file, hasKeys, path } = directory;
  const isOwn = databaseURL === '';
  const where = isOwn ? file : 'HILLTOP_DATABASE_URL';
  if (isOwn && hasKeys && !existsSync(file)) throw lostDatabase(where, path);
  try {
    const engine = isOwn ? sqlite(file) : (await import('./database/postgres.ts')).postgres(databaseURL);
    const database = createDatabase(engine, (error) =>
      log.error({ err: error }, 'an act after a commit failed; what was written stays'),
    );
    try {
      if (hasKeys && (await isEmpty(engine))) throw lostDatabase(where, path);
      await migrate(engine);
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (error) {
    throw error instanceof StartError ? error : cannotOpenDatabase(where, error);
  }
}
