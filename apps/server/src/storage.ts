import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { agreementOf } from './cluster/agreement.ts';
import { aloneAs, type Cluster, type Member, mostSilentMs } from './cluster/cluster.ts';
import { type ClusterJoin, SettingsMismatch } from './cluster/join.ts';
import { type Config, settingsThatMustMatch } from './config.ts';
import { type DataDirectory, openDataDirectory, restoringFile } from './data-directory.ts';
import { createDatabase, type Database, type DatabaseEngine } from './database/database.ts';
import { isRestoreIncomplete } from './database/interrupted-restore.ts';
import { isKeyOf, isTokenKeyOf, keysNeeded } from './database/key-check.ts';
import { DatabaseInUse, lockFile, lockPostgres } from './database/lock.ts';
import { isEmpty, migrate } from './database/migrations.ts';
import type { postgres } from './database/postgres.ts';
import { sqlite } from './database/sqlite.ts';
import { type KeySetting, loadSecrets, type Secrets } from './secrets.ts';
import {
  alreadyRunning,
  cannotOpenDatabase,
  cannotUseDirectory,
  disagrees,
  interruptedRestore,
  lostDatabase,
  StartError,
  wrongKey,
  wrongTokenKey,
} from './start-error.ts';
import type { StorageSettings } from './storage-settings.ts';
import { version } from './version.ts';

/** The opened storage of an installation. */
export interface Storage {
  directory: DataDirectory;
  database: Database;
  /**
   * Set while migration steps wait until older instances have ended: tries them again, and answers those that still
   * wait.
   */
  migrateFurther: ((versions: readonly string[]) => Promise<string[]>) | undefined;
  secrets: Secrets;
  /** The id of this instance for its peers. */
  instanceID: string;
  /** Call it when a first start has created its records: other instances wait with their start until then. */
  enter: () => Promise<Cluster>;
  close: () => Promise<void>;
}

/** Callbacks for events of the storage, and the clock of this machine in milliseconds since 1970. */
interface Around {
  now?: (() => number) | undefined;
  fellApart?: ((error: unknown, units: number) => void) | undefined;
  /** The thread that writes to the embedded database has ended by itself. */
  threadEnded?: (() => void) | undefined;
}

/** Opens the database of the settings with its keys. Throws StartError, after closing everything. */
export async function openStorage(
  config: Config,
  log: Logger,
  { now, fellApart, threadEnded }: Around = {},
): Promise<Storage> {
  await using parts = new AsyncDisposableStack();
  const directory = await openDirectory(config.data, log);
  const self = { name: config.instanceName || hostname(), version, startedAt: new Date() };
  const {
    id,
    peers: others,
    join: enter,
    close,
  } = config.redisURL === '' ? await alone(config, directory, { self, log }) : await among(config, { self, log, now });
  parts.defer(close);
  const versions = (await others()).map((other) => other.version);
  const { database, migrateFurther } = await openDatabase(config, { directory, versions, log, fellApart, threadEnded });
  parts.defer(() => database.close());
  // Creates keys when there is a database: later, keys without a database mean that it was lost.
  const isAlone = config.redisURL === '';
  const secrets = await openSecrets(config, await keysNeeded(database, { isAlone }));
  if (!(await isKeyOf(database, secrets))) throw wrongKey(config.data);
  if (!(await isTokenKeyOf(database, secrets, { isAlone }))) throw wrongTokenKey();
  const open = parts.move();
  const entered = () =>
    enter(agreementOf(settingsThatMustMatch(config), secrets)).catch((error: unknown) => {
      throw error instanceof SettingsMismatch ? disagrees(error.setting, error.other.name) : error;
    });
  const storage = { directory, database, migrateFurther, secrets, instanceID: id };
  return { ...storage, enter: entered, close: () => open.disposeAsync() };
}

async function openDirectory(path: string, log: Logger): Promise<DataDirectory> {
  try {
    return await openDataDirectory(path, log);
  } catch (error) {
    throw cannotUseDirectory(path, error);
  }
}

async function openSecrets({ data: path, ...config }: StorageSettings, needed: KeySetting[]): Promise<Secrets> {
  try {
    return await loadSecrets(path, config, needed);
  } catch (error) {
    throw error instanceof StartError ? error : cannotUseDirectory(path, error);
  }
}

type Self = { self: Omit<Member, 'id'>; log: Logger };

const takenOver = (log: Logger) => () => {
  log.fatal('another Hilltop has taken over the database while the connection was lost: this process ends');
  process.exit(1);
};

/** Opens the database exclusively for this process. */
async function alone(
  { databaseURL }: StorageSettings,
  directory: DataDirectory,
  { self, log }: Self,
): Promise<ClusterJoin> {
  const where = databaseURL === '' ? directory.path : undefined;
  try {
    const { release } = await (databaseURL === ''
      ? lockFile(directory.lockFile)
      : lockPostgres(databaseURL, takenOver(log)));
    const member = { ...self, id: '00000000' };
    return {
      id: member.id,
      peers: () => Promise.resolve([]),
      join: () => Promise.resolve(aloneAs(member)),
      close: release,
    };
  } catch (error) {
    if (error instanceof DatabaseInUse) throw alreadyRunning(where);
    throw where === undefined ? cannotOpenDatabase('HILLTOP_DATABASE_URL', error) : cannotUseDirectory(where, error);
  }
}

/** Opens the database together with other instances. */
async function among(
  { databaseURL: url }: StorageSettings,
  { self, log, now }: Self & Pick<Around, 'now'>,
): Promise<ClusterJoin> {
  const { enterPostgres } = await import('./cluster/postgres.ts');
  try {
    return await enterPostgres({ url, self, log, now, takenOver: takenOver(log) });
  } catch (error) {
    throw error instanceof DatabaseInUse
      ? alreadyRunning(undefined)
      : cannotOpenDatabase('HILLTOP_DATABASE_URL', error);
  }
}

interface Opening extends Pick<Around, 'fellApart' | 'threadEnded'> {
  directory: DataDirectory;
  /** The versions of the instances that already work on it. */
  versions: readonly string[];
  log: Logger;
}

async function openDatabase(
  { databaseURL, redisURL, threads }: StorageSettings,
  { directory, versions, log, fellApart, threadEnded }: Opening,
): Promise<Pick<Storage, 'database' | 'migrateFurther'>> {
  const { databaseFile: file, hasKeys, path } = directory;
  const isOwn = databaseURL === '';
  const where = isOwn ? file : 'HILLTOP_DATABASE_URL';
  if (isOwn && existsSync(restoringFile(file))) throw interruptedRestore(where);
  if (isOwn && hasKeys && !existsSync(file)) throw lostDatabase(where, path);
  try {
    const engine = isOwn
      ? sqlite(file, { isThreaded: threads > 1, onThreadEnded: threadEnded })
      : await openPostgres(databaseURL, redisURL === '' ? {} : { silentMs: mostSilentMs });
    const database = createDatabase(
      engine,
      (error) => log.error({ err: error }, 'an action after a commit failed; the written data is kept'),
      fellApart,
    );
    try {
      if (!isOwn && (await isRestoreIncomplete(engine.kysely))) throw interruptedRestore(where);
      if (hasKeys && (await isEmpty(engine))) throw lostDatabase(where, path);
      const further = (others: readonly string[]) => migrate(engine, { version, others });
      const waiting = await further(versions);
      engine.keepSavepointsInMemory?.();
      if (waiting.length > 0)
        log.info({ steps: waiting }, 'instances of an older release still need what these remove');
      return { database, migrateFurther: waiting.length > 0 ? further : undefined };
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (error) {
    throw error instanceof StartError ? error : cannotOpenDatabase(where, error);
  }
}

async function openPostgres(...given: Parameters<typeof postgres>): Promise<DatabaseEngine> {
  return (await import('./database/postgres.ts')).postgres(...given);
}
