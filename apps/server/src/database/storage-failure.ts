import { Collision } from './collision.ts';
import { Unreachable } from './unreachable.ts';

/**
 * Primary result codes (https://www.sqlite.org/rescode.html): BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT,
 * FULL, CANTOPEN, PROTOCOL, NOTADB.
 */
const sqliteCodes = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26]);

/**
 * Classes of PostgreSQL (https://www.postgresql.org/docs/15/errcodes-appendix.html): connection, invalid transaction state
 * (read-only), rollback, insufficient resources, object not in the state, operator intervention, system, internal.
 */
const postgresClasses = new Set(['08', '25', '40', '53', '55', '57', '58', 'XX']);

/** Whether an error means that the database was unavailable, rather than that a statement is wrong. */
export function isStorageFailure(error: unknown): boolean {
  if (error instanceof Unreachable || error instanceof Collision) return true;
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && typeof error.errcode === 'number') return sqliteCodes.has(error.errcode & 0xff);
  const { code } = error as NodeJS.ErrnoException;
  if (code?.length === 5 && postgresClasses.has(code.slice(0, 2))) return true;
  return isStorageFailure(error.cause);
}

const sqliteBusy = 5;

/** Whether another process has the lock of the embedded database. */
export const isLocked = (error: unknown): boolean => sqliteCodeOf(error) === sqliteBusy;

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const sqliteDamage = new Set([11, 26]);

/** Whether an error means that the embedded database is damaged. */
export const isDamage = (error: unknown): boolean => sqliteDamage.has(sqliteCodeOf(error));

/** SQLITE_IOERR and SQLITE_CANTOPEN, which SQLite also answers when it cannot make a companion file on a full disk. */
const sqliteFileFailures = new Set([10, 14]);

/** Whether SQLite could not use a file, for a reason that its error does not name. */
export const isFileFailure = (error: unknown): boolean => sqliteFileFailures.has(sqliteCodeOf(error));

/** The primary result code of SQLite of an error or its cause; 0 without one. */
function sqliteCodeOf(error: unknown): number {
  if (!(error instanceof Error)) return 0;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return sqliteCodeOf(error.cause);
}

/** SQLITE_FULL, to which SQLite also maps ENOSPC. */
const sqliteFull = 13;
/** `disk_full` of PostgreSQL, and the codes of the operating system for full disks and exceeded quotas. */
const fullCodes = new Set(['53100', 'ENOSPC', 'EDQUOT']);

/** Whether an error means that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && typeof error.errcode === 'number') return (error.errcode & 0xff) === sqliteFull;
  return fullCodes.has((error as NodeJS.ErrnoException).code ?? '') || isDiskFull(error.cause);
}
