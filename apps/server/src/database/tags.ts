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
  // The text of all tags is searched much faster than parsed. JSON.stringify writes it, so a quote after a comma or brace
  // begins a name, and no other text of the tags can equal a name with its value.
  const name = `${JSON.stringify(key)}:`;
  const holds = (text: string) =>
    sql<boolean>`(instr(${tags}, ${`{${text}`}) = 1 or instr(${tags}, ${`,${text}`}) > 0)`;
  if (operator === 'is') return any(values.map((one) => holds(name + JSON.stringify(one))));
  if (operator === 'set') return holds(name);
  const tests = values.map((one) => sql<boolean>`instr(lower(tag.value), lower(${one})) > 0`);
  const hasOne = sql`exists (select 1 from json_each(${tags}) as tag where tag.key = ${key} and ${any(tests)})`;
  return sql`(${holds(name)} and ${hasOne})`;
}
