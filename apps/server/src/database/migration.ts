import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { DatabaseKind } from './database.ts';

/** One step of the schema. `kind` is for the few places where the two databases differ in DDL. */
export type Migration = (db: Kysely<unknown>, kind: DatabaseKind) => Promise<void>;

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
