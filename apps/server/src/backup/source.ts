import type { DatabaseKind } from '../database/database.ts';
import type { Column } from './column-types.ts';

/** A snapshot of all tables. */
export interface BackupSource extends AsyncDisposable {
  readonly kind: DatabaseKind;
  /** The executed migrations, in the order of their names. */
  readonly migrations: readonly string[];
  /** Undefined for a table that this database does not have. */
  columns: (table: string) => Promise<readonly Column[] | undefined>;
  /** Batches of rows; the values are in the order of the columns, as `encode` takes them. */
  rows: (table: string, columns: readonly Column[]) => AsyncIterable<readonly (readonly unknown[])[]>;
  /** The last key that was generated for each table that has generated keys. */
  sequences: () => Promise<Readonly<Record<string, number>>>;
}

export const rowsPerBatch = 500;
