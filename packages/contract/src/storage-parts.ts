/** What the storage page names. In a file without messages: the console loads it with that page. */
interface StoragePart {
  readonly label: string;
  /** The settings that limit it, by their names in the environment. */
  readonly settings: readonly string[];
}

/** The parts of the storage that grow. */
export const storageParts = {
  DATABASE: {
    label: 'Database',
    settings: [],
  },
  EVENT_LOG: {
    label: 'Event log',
    settings: ['HILLTOP_EVENT_LOG_KEEP', 'HILLTOP_EVENT_LOG_MAX'],
  },
  HISTORY: {
    label: 'History',
    settings: ['HILLTOP_HISTORY_DAYS', 'HILLTOP_HISTORY_EVENTS', 'HILLTOP_HISTORY_SIZE'],
  },
  SERIES: {
    label: 'Values over time',
    settings: ['HILLTOP_SERIES_DAYS'],
  },
  TRASH: {
    label: 'Trash',
    settings: ['HILLTOP_TRASH_DAYS'],
  },
  AUDIT: {
    label: 'Audit log',
    settings: ['HILLTOP_AUDIT_DAYS'],
  },
} as const satisfies Record<string, StoragePart>;
export type StoragePartName = keyof typeof storageParts;
