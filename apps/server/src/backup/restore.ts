import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { type DataDirectory, filesIn, openDataDirectory } from '../data-directory.ts';
import { isSealedWith, markOfTokenKey } from '../database/key-check.ts';
import { DatabaseInUse, lockFile, lockPostgres } from '../database/lock.ts';
import { readSteps } from '../database/migrations.ts';
import { loadSecrets, type Secrets } from '../secrets.ts';
import { cannotUseDirectory, StartError } from '../start-error.ts';
import type { StorageSettings } from '../storage-settings.ts';
import { changesOfRows, counterGap } from './after-restore.ts';
import type { Column, StoredValue } from './column-types.ts';
import type { Manifest } from './manifest.ts';
import { type BackupFile, readRows, type VerifiedBackup, verifyBackup } from './read-backup.ts';
import { createSQLiteTarget, hasSQLiteDatabase } from './sqlite-target.ts';
import type { RestoreTarget } from './target.ts';

export interface RestoreRequest extends BackupFile {
  readonly replace: boolean;
}

export type RestoreSettings = Pick<StorageSettings, 'data' | 'databaseURL' | 'encryptionKeyFile' | 'tokenKeyFile'>;

/**
 * Fills the database of the settings from a backup. Nothing is changed before the whole backup is verified. Answers what
 * came back, as lines of text. Throws StartError.
 */
export async function restoreBackup(config: RestoreSettings, request: RestoreRequest, log: Logger): Promise<string[]> {
  const directory = await openDataDirectory(config.data, log).catch((error: unknown) => {
    throw cannotUseDirectory(config.data, error);
  });
  await using parts = new AsyncDisposableStack();
  parts.defer(await lockTarget(config, directory));
  if ((await hasDatabase(config, directory)) && !request.replace)
    throw new StartError(`${whereOf(config)} is not empty: choose an empty one, or replace all it has with --replace.`);
  const backup = await verifyBackup(request, new Set(Object.keys(await readSteps())));
  const notes = await checkKeys(config, backup);
  const { manifest } = backup;
  const target = await openTarget(config, { directory, manifest });
  parts.use(target);
  await loadAll(request, manifest, target);
  await target.finish(manifest);
  return [...summaryOf(manifest), ...notes];
}

const whereOf = ({ data, databaseURL }: RestoreSettings) =>
  databaseURL === '' ? `The data directory ${data}` : 'The database at HILLTOP_DATABASE_URL';

async function lockTarget({ data, databaseURL }: RestoreSettings, { lockFile: file }: DataDirectory) {
  const ended = () => {
    console.error('Another Hilltop has taken over the database: this restore ends.');
    process.exit(1);
  };
  try {
    const { release } = databaseURL === '' ? lockFile(file) : await lockPostgres(databaseURL, ended);
    return release;
  } catch (error) {
    throw error instanceof DatabaseInUse ? inUse(databaseURL === '' ? data : undefined) : error;
  }
}

/** A running server and another restore have the same lock. Undefined means the database of HILLTOP_DATABASE_URL. */
const inUse = (directory: string | undefined) =>
  new StartError(
    `${directory === undefined ? 'The database at HILLTOP_DATABASE_URL' : `The data directory ${directory} (HILLTOP_DATA)`} is in use, so nothing was changed: stop the Hilltop that runs there, or wait until the other restore has ended.`,
  );

async function hasDatabase({ databaseURL }: RestoreSettings, directory: DataDirectory): Promise<boolean> {
  if (databaseURL === '') return hasSQLiteDatabase(directory);
  return (await import('./postgres-target.ts')).hasPostgresDatabase(databaseURL);
}

async function openTarget(
  { databaseURL }: RestoreSettings,
  { directory, manifest }: { directory: DataDirectory; manifest: Manifest },
): Promise<RestoreTarget> {
  if (databaseURL === '') return createSQLiteTarget(directory, manifest);
  return (await import('./postgres-target.ts')).createPostgresTarget(databaseURL, manifest);
}

/** Refuses another encryption key. Writes the keys of a sealed backup where there are none. Answers what to know. */
async function checkKeys(config: RestoreSettings, { keyCheck, keys }: VerifiedBackup): Promise<string[]> {
  const { encryptionKeyFile, tokenKeyFile } = filesIn(config.data);
  await addKey(config.encryptionKeyFile, encryptionKeyFile, keys.encryptionKey);
  await addKey(config.tokenKeyFile, tokenKeyFile, keys.tokenKey);
  if (config.encryptionKeyFile === '' && !existsSync(encryptionKeyFile)) throw otherKey(config.data);
  const secrets = await loadSecrets(config.data, config);
  if (keyCheck && !isSealedWith(secrets, keyCheck.sealed)) throw otherKey(config.data);
  return notesOfTokenKey(secrets, keyCheck);
}

async function addKey(named: string, file: string, key: string | undefined): Promise<void> {
  if (named === '' && key !== undefined && !existsSync(file))
    await writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx' });
}

const otherKey = (directory: string) =>
  new StartError(
    `This backup was made with another encryption.key. Copy encryption.key and token.key of that installation to ${directory} (HILLTOP_DATA); they replace any that are there.`,
  );

function notesOfTokenKey({ tokenKey }: Secrets, keyCheck: VerifiedBackup['keyCheck']): string[] {
  if (!keyCheck || keyCheck.tokenMark === null || keyCheck.tokenMark === markOfTokenKey(tokenKey)) return [];
  return ['The token.key is another one than that of the backup: API keys will be refused until you copy that one.'];
}

async function loadAll(file: BackupFile, manifest: Manifest, target: RestoreTarget): Promise<void> {
  for (const [table, { columns }] of Object.entries(manifest.tables)) {
    checkColumns(table, columns, await target.columns(table));
    // Empties the table: steps of the schema insert some rows.
    await target.load({ table, columns, rows: [] });
  }
  for await (const { table, rows } of readRows(file, manifest)) {
    const { columns } = manifest.tables[table]!;
    await target.load({ table, columns, rows: changed(table, { columns, rows, manifest }) });
  }
}

function checkColumns(table: string, columns: readonly Column[], known: readonly Column[] | undefined): void {
  if (!known) throw new StartError(`The backup has a table ${table} that this version does not know.`);
  const types = new Map(known.map(({ name, type }) => [name, type]));
  const other = columns.find(({ name, type }) => types.get(name) !== type);
  if (other) throw new StartError(`The backup has a column ${table}.${other.name} that this version does not know.`);
}

type Rows = readonly (readonly StoredValue[])[];

function changed(
  table: string,
  { columns, rows, manifest }: { columns: readonly Column[]; rows: Rows; manifest: Manifest },
): Rows {
  const change = changesOfRows[table];
  if (!change) return rows;
  return rows.map((row) => {
    const record = Object.fromEntries(columns.map(({ name }, index) => [name, row[index]!]));
    change(record, manifest);
    return columns.map(({ name }) => record[name]!);
  });
}

const shown = { organization: 'organizations', user: 'users', gateway: 'gateways', device: 'devices' } as const;

function summaryOf({ createdAt, tables, hasHistory }: Manifest): string[] {
  const counts = Object.entries(shown).map(([table, name]) => `${tables[table]?.rows ?? 0} ${name}`);
  return [
    `Restored the backup of ${createdAt}: ${counts.join(', ')}, ${hasHistory ? 'with' : 'without'} history.`,
    `Devices go on without a join: counters of downlinks and joins continue ${counterGap} higher. Uplinks that devices have sent since the backup could be accepted once more.`,
    'Users sign in again. Jobs that ran are paused: see Jobs.',
  ];
}
