import type { Database } from './database.ts';
import { perDatabase } from './per-database.ts';
import { statement } from './statement.ts';

/** A trigram in more rows than this does not narrow the search. */
const mostCounted = 1000;
const maxChosen = 3;
const maxCounts = 10_000;
/** Trigrams that the index contains for every text, whatever the locale of the database. */
const isIndexed = /^[a-z0-9]{3}$/;

type Indexed = 'device' | 'gateway';

const countingIn = (table: Indexed) =>
  statement<{ count: number }>()({
    sql: `select count(*) as count
      from (select 1 as one from ${table} where ${table}.search_text like $pattern limit ${mostCounted}) as found`,
    given: { pattern: 'text' },
    only: 'postgres',
  });
const counting = { device: countingIn('device'), gateway: countingIn('gateway') };

/**
 * For PostgreSQL, whose index reads the posting list of each trigram of a text; the long lists take most of the time.
 */
export const rarestTrigrams = perDatabase((database) => ({
  device: chooser(database, 'device'),
  gateway: chooser(database, 'gateway'),
}));

function chooser(database: Database, table: Indexed) {
  /** The last counts of rows with a trigram. Only the choice depends on them, so old counts are harmless. */
  const counts = new Map<string, number | Promise<number>>();

  async function countAnew(pattern: string): Promise<number> {
    const found = (await counting[table](database).first({ pattern }))?.count ?? 0;
    counts.set(pattern, found);
    return found;
  }

  function countOf(pattern: string): number | Promise<number> {
    const known = counts.get(pattern);
    if (known !== undefined) return known;
    if (counts.size >= maxCounts) counts.clear();
    const asked = countAnew(pattern).catch((error: unknown) => {
      counts.delete(pattern);
      throw error;
    });
    counts.set(pattern, asked);
    return asked;
  }

  /** The rarest trigrams as patterns; none if the index is as fast with the whole text. */
  return async (trigrams: readonly string[]): Promise<string[]> => {
    const patterns = [...new Set(trigrams)].filter((one) => isIndexed.test(one)).map((one) => `%${one}%`);
    if (patterns.length <= maxChosen) return [];
    const rows = await Promise.all(patterns.map(async (pattern) => countOf(pattern)));
    const rare = patterns.map((pattern, at) => ({ pattern, rows: rows[at]! })).filter((one) => one.rows < mostCounted);
    rare.sort((one, other) => one.rows - other.rows);
    return rare.slice(0, maxChosen).map(({ pattern }) => pattern);
  };
}
