import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { DatabaseKind } from './database.ts';

/** One step of the schema. `kind` is for the few steps in which the DDL of the databases differs. */
export type Migration = (db: Kysely<unknown>, kind: DatabaseKind) => Promise<void>;

/** The exports of a file of `migrations/`. */
export interface Step {
  up: Migration;
  /**
   * The first release that does not need what this step removes, such as `0.2.0`: the step waits until no older
   * instance is live. A step without it only adds, so that the previous release still works beside it.
   */
  contract?: string;
  /** Runs outside of a transaction, which `create index concurrently` requires, and must be repeatable. */
  isOutside?: boolean;
}

/** A key that the database generates: `.addColumn('id', ...serialKey(kind))`. */
export function serialKey(
  kind: DatabaseKind,
): ['integer' | 'bigserial', (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder] {
  return kind === 'sqlite'
    ? ['integer', (column) => column.primaryKey().autoIncrement()]
    : ['bigserial', (column) => column.primaryKey()];
}

/** Column type for bytes. */
export function bytesType(kind: DatabaseKind): 'blob' | 'bytea' {
  return kind === 'sqlite' ? 'blob' : 'bytea';
}
