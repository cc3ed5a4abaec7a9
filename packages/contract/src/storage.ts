/** How much the installation stores, and its backups. Not in the recorded API. */
import { admins, globally } from './access.ts';
import { get, ownOperationsOf } from './operation.ts';
import { type StoragePartName, storageParts } from './storage-parts.ts';
import {
  bool,
  count,
  double,
  enumeration,
  list,
  listOf,
  message,
  oneOf,
  text,
  timestamp,
  type ValueOf,
} from './wire.ts';

const storagePartNames = Object.keys(storageParts) as StoragePartName[];

const StorageUse = message('hilltop.StorageUse', {
  part: oneOf(enumeration('hilltop.StoragePart', storagePartNames), { label: 'Part' }),
  isSizeKnown: bool({ label: 'Size is known', help: 'False where only reading all of it would tell.' }),
  bytes: double({ label: 'Size', unit: 'bytes' }),
  oldestAt: timestamp({ label: 'Oldest', help: 'Null when it has nothing with a time.' }),
  limitDays: double({ label: 'Days', help: 'What is older is removed; 0: no limit.' }),
  limitBytes: double({ label: 'Limit', unit: 'bytes', help: '0: no limit.' }),
  settings: list(text(), { label: 'Settings' }),
});
export type StorageUse = ValueOf<typeof StorageUse>;

const StoredBackup = message('hilltop.Backup', {
  file: text({ label: 'File' }),
  instance: text({ label: 'Instance', help: 'It wrote the file.' }),
  startedAt: timestamp({ label: 'Started' }),
  endedAt: timestamp({ label: 'Ended', help: 'Null while it is being written.' }),
  bytes: double({ label: 'Size', unit: 'bytes' }),
  problem: text({ label: 'Problem', help: 'Why it failed; empty otherwise.' }),
});
export type StoredBackup = ValueOf<typeof StoredBackup>;

export const storage = ownOperationsOf('storage', {
  get: get('/api/storage', {
    summary: 'Get how much this installation stores, what limits it, and its backups',
    response: message('hilltop.GetStorageResponse', {
      isEmbedded: bool({ label: 'Embedded database', help: 'Otherwise PostgreSQL.' }),
      diskBytes: double({ label: 'Disk', unit: 'bytes', help: 'Of the data directory.' }),
      freeBytes: double({ label: 'Free', unit: 'bytes' }),
      parts: listOf(StorageUse),
      backupDirectory: text({ label: 'Directory', help: 'HILLTOP_BACKUP_DIR; empty: no scheduled backups.' }),
      backupHours: double({ label: 'Every', unit: 'hours' }),
      backupKeep: count({ label: 'Kept' }),
      backupProblem: text({ label: 'Problem', help: 'Empty while backups are written as the settings say.' }),
      backups: listOf(StoredBackup, { help: 'Scheduled ones, the newest first.' }),
    }),
    access: globally(...admins),
  }),
});
