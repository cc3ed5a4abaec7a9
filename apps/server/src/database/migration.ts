import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { DatabaseKind } from './database.ts';

/** One step of the schema. `kind` is for the few places where the two databases differ in DDL. */
export type Migration = (db: Kysely<unknown>, kind: DatabaseKind) => Promise<void>;

/** What a file of `migrations/` exports. */
export interface Step {
  up: Migration;
  /**
   * The first release that does without what this step takes away, such as `0.2.0`: it waits until no instance of an
   * older one is there. A step without it only adds, so that the release before goes on working beside it.
   */
  contract?: string;
  /** Runs outside of a transaction, which `create index concurrently` needs, and so must bear to run again. */
  isOutside?: boolean;
}

/** A key counted up by the database: `.addColumn('id', ...serialKey(kind))`. */
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
