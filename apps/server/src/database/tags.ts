import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './database.ts';

/** Whether the tags of a row have this value with this name; `column` is `table.column`. */
export function hasTag(kind: DatabaseKind, column: string, name: string, value: string): RawBuilder<boolean> {
  if (kind === 'postgres') return sql`${sql.ref(column)} @> ${JSON.stringify({ [name]: value })}::jsonb`;
  return sql`exists (select 1 from json_each(${sql.ref(column)}) as tag where tag.key = ${name} and tag.value = ${value})`;
}
