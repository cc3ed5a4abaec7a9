/** How much the installation stores, and its backups. Not in the recorded API. */
import { admins, globally } from './access.ts';
import { get, ownOperationsOf } from './operation.ts';
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

interface StoragePart {
  readonly label: string;
  /** What it has, in one sentence. */
  readonly sentence: string;
  /** The settings that limit it, by their names in the environment. */
  readonly settings: readonly string[];
}

/** The parts of the storage that grow. */
export const storageParts = {
  DATABASE: {
    label: 'Database',
    sentence: 'All records, with the parts below that are in the same database.',
    settings: [],
  },
  EVENT_LOG: {
    label: 'Event log',
    sentence: 'Events that wait for integrations and the history.',
    settings: ['HILLTOP_EVENT_LOG_KEEP', 'HILLTOP_EVENT_LOG_MAX'],
  },
  HISTORY: {
    label: 'History',
    sentence: 'Events of devices.',
    settings: ['HILLTOP_HISTORY_DAYS', 'HILLTOP_HISTORY_EVENTS', 'HILLTOP_HISTORY_SIZE'],
  },
  SERIES: {
    label: 'Values over time',
    sentence: 'Decoded numbers and radio values by hour.',
    settings: ['HILLTOP_SERIES_DAYS'],
  },
  TRASH: {
    label: 'Trash',
    sentence: 'Deleted records that can be restored.',
    settings: ['HILLTOP_TRASH_DAYS'],
  },
  AUDIT: {
    label: 'Audit log',
    sentence: 'Who changed what.',
    settings: ['HILLTOP_AUDIT_DAYS'],
  },
} as const satisfies Record<string, StoragePart>;
export type StoragePartName = keyof typeof storageParts;
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
