import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './database.ts';

/** This many rows are sorted as quickly as a page of them is found by reading all rows in order. */
export const few = 2000;

/** Whether a column has one of these texts: one parameter, whatever their number. */
export function isAmong(kind: DatabaseKind, column: string, texts: readonly string[]): RawBuilder<boolean> {
  const list = JSON.stringify(texts);
  return kind === 'sqlite'
    ? sql`${sql.ref(column)} in (select value from json_each(${list}))`
    : sql`${sql.ref(column)} in (select jsonb_array_elements_text(${list}::jsonb))`;
}
