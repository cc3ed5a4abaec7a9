import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './database.ts';

/** Whether the tags of a row hold this value under this name; `column` is `table.column`. */
export function hasTag(kind: DatabaseKind, column: string, name: string, value: string): RawBuilder<boolean> {
  const each = sql.raw(kind === 'sqlite' ? 'json_each' : 'jsonb_each_text');
  return sql`exists (select 1 from ${each}(${sql.ref(column)}) as tag where tag.key = ${name} and tag.value = ${value})`;
}
