import type { Column, StoredValue } from './column-types.ts';
import type { Manifest } from './manifest.ts';

/** Rows of a table, with the columns that both the backup and this database have. */
export interface LoadedPart {
  readonly table: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly StoredValue[])[];
}

/** An empty database that is being filled; it replaces the former one with `finish`. */
export interface RestoreTarget extends AsyncDisposable {
  /** The columns of a table; undefined when this database has none of the name. */
  columns: (table: string) => Promise<readonly Column[] | undefined>;
  load: (part: LoadedPart) => Promise<void>;
  /** Completes the schema and puts the database in its position. */
  finish: (manifest: Manifest) => Promise<void>;
}
