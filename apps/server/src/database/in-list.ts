import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './database.ts';

/** This many rows are sorted as quickly as a page of them is found by reading all rows in order. */
export const sortableRows = 2000;

/** Whether a column holds one of these texts or numbers: one parameter, whatever their number. A single one is compared faster. */
export function isInList(
  kind: DatabaseKind,
  column: string,
  values: readonly (string | number)[],
): RawBuilder<boolean> {
  if (values.length === 1) return sql`${sql.ref(column)} = ${values[0]}`;
  const list = JSON.stringify(values);
  if (kind === 'sqlite') return sql`${sql.ref(column)} in (select value from json_each(${list}))`;
  const element = sql`jsonb_array_elements_text(${list}::jsonb)`;
  return typeof values[0] === 'number'
    ? sql`${sql.ref(column)} in (select ${element}::bigint)`
    : sql`${sql.ref(column)} in (select ${element})`;
}
