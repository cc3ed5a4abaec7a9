import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

/** Opens a connection to the embedded database; each has its own cache of 32 MB. */
export function openConnection(path: string, options: Pick<DatabaseSyncOptions, 'readOnly'> = {}): DatabaseSync {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 5000, ...options });
  db.exec('pragma cache_size = -32000');
  // SQLite's own function supports only ASCII.
  db.function('lower', { deterministic: true }, (text) => (typeof text === 'string' ? text.toLowerCase() : text));
  return db;
}

/** The log is copied from 16 MB on. A longer one, which a reader caused, becomes this short when it starts again. */
export const mostIdleLogBytes = 32 * 1024 * 1024;

/** Opens a connection that writes. */
export function openWriter(path: string): DatabaseSync {
  const db = openConnection(path);
  // `walFlush` waits for the disk like synchronous=full, but without blocking the process.
  db.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma journal_size_limit = ${mostIdleLogBytes}`);
  return db;
}
