import { type RawBuilder, sql } from 'kysely';

/** A part of a statement of Kysely, from SQL in which `$name` stands for a value or another part. */
export function sqlWith<Value>(text: string, values: Readonly<Record<string, unknown>>): RawBuilder<Value> {
  const parts = text.split(/\$([a-zA-Z]\w*)/);
  return sql<Value>`${sql.join(
    parts.map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${values[part]}`)),
    sql``,
  )}`;
}
