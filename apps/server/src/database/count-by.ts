import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { isInList } from './in-list.ts';

type Key = string | number;

/** How many rows of a table name each of these keys in a column that has an index. Keys without rows are left out. */
export async function countBy<K extends Key>(
  { query, kind }: Database,
  [table, column]: readonly [table: string, column: string],
  keys: readonly K[],
): Promise<ReadonlyMap<K, number>> {
  return sumBy({ query, kind }, [table, column], sql<number>`count(*)`, keys);
}

/** The same with another sum than the number of rows. */
export async function sumBy<K extends Key>(
  { query, kind }: Pick<Database, 'query' | 'kind'>,
  [table, column]: readonly [table: string, column: string],
  sum: ReturnType<typeof sql<number>>,
  keys: readonly K[],
): Promise<ReadonlyMap<K, number>> {
  if (keys.length === 0) return new Map();
  // The tables are those of the callers, which kysely cannot name here.
  const rows = (query as unknown as Kysely<Record<string, Record<string, unknown>>>)
    .selectFrom(table)
    .select([sql<K>`${sql.ref(column)}`.as('key'), sum.as('count')])
    .where(isInList(kind, column, keys))
    .groupBy(column);
  const found = (await rows.execute()) as { key: K; count: number }[];
  return new Map(found.map(({ key, count }) => [key, Number(count)]));
}
