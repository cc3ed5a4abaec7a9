import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './database.ts';

/** Whether the tags of a row have this value with this name; `column` is `table.column`. */
export function hasTag(kind: DatabaseKind, column: string, name: string, value: string): RawBuilder<boolean> {
  if (kind === 'postgres') return sql`${sql.ref(column)} @> ${JSON.stringify({ [name]: value })}::jsonb`;
  return sql`exists (select 1 from json_each(${sql.ref(column)}) as tag where tag.key = ${name} and tag.value = ${value})`;
}

/** A test of the value that a tag has: equal to one of the values, containing one (A to Z in any case), or any. */
export interface TagTest {
  key: string;
  operator: 'is' | 'has' | 'set';
  values: readonly string[];
}

/** Whether a tag of a row passes the test. */
export function tagMatches(
  kind: DatabaseKind,
  column: string,
  { key, operator, values }: TagTest,
): RawBuilder<boolean> {
  const tags = sql.ref(column);
  const any = (conditions: RawBuilder<boolean>[]) => sql<boolean>`(${sql.join(conditions, sql` or `)})`;
  if (kind === 'postgres') {
    const value = sql`(${tags} ->> ${key})`;
    if (operator === 'set') return sql`${value} is not null`;
    if (operator === 'is') return any(values.map((one) => sql`${tags} @> ${JSON.stringify({ [key]: one })}::jsonb`));
    return any(values.map((one) => sql`strpos(lower(${value} collate "C"), lower(${one}::text collate "C")) > 0`));
  }
  // A search in the text of all tags is much faster than their parser, and no tag passes the test without passing this.
  const name = `${JSON.stringify(key)}:`;
  const perhaps = any(
    (operator === 'is' ? values.map((one) => name + JSON.stringify(one)) : [name]).map(
      (text) => sql`instr(${tags}, ${text}) > 0`,
    ),
  );
  const tests = values.map((one) =>
    operator === 'is' ? sql<boolean>`tag.value = ${one}` : sql<boolean>`instr(lower(tag.value), lower(${one})) > 0`,
  );
  const passes = operator === 'set' ? sql`true` : any(tests);
  return sql`(${perhaps} and exists (select 1 from json_each(${tags}) as tag where tag.key = ${key} and ${passes}))`;
}
