import { readFile } from 'node:fs/promises';
import { filesIn } from '../data-directory.ts';
import type { StorageSettings } from '../storage-settings.ts';
import type { BackupSource } from './source.ts';
import { openSQLiteSource } from './sqlite-source.ts';
import { type KeyFiles, type WrittenBackup, writeBackup } from './write-backup.ts';

export type BackupSettings = Pick<StorageSettings, 'data' | 'databaseURL' | 'encryptionKeyFile' | 'tokenKeyFile'>;

export interface BackupOptions {
  readonly file: string;
  readonly withHistory: boolean;
  readonly passphrase: string;
}

/** Backs up the database of the settings. Throws StartError. */
export async function backUp(config: BackupSettings, options: BackupOptions): Promise<WrittenBackup> {
  await using source = await openSource(config, options);
  const keys = options.passphrase === '' ? {} : await readKeys(config);
  return await writeBackup(source, { ...options, keys, now: () => new Date() });
}

async function openSource(
  { data, databaseURL }: BackupSettings,
  { withHistory }: Pick<BackupOptions, 'withHistory'>,
): Promise<BackupSource> {
  if (databaseURL === '') return openSQLiteSource(filesIn(data), withHistory);
  return (await import('./postgres-source.ts')).openPostgresSource(databaseURL);
}

async function readKeys({ data, encryptionKeyFile, tokenKeyFile }: BackupSettings): Promise<KeyFiles> {
  const inDirectory = filesIn(data);
  const read = async (file: string) => (await readFile(file, 'utf8')).trim();
  return {
    encryptionKey: await read(encryptionKeyFile || inDirectory.encryptionKeyFile),
    tokenKey: await read(tokenKeyFile || inDirectory.tokenKeyFile),
  };
}
