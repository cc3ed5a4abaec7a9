import type { SelectQueryBuilder } from 'kysely';

/** The requested rows of a list. Limit 0 requests no rows, only their number. */
export interface Page {
  limit: number;
  offset: number;
}

/** One page of a list with the count of all its rows, in the form of the API. */
export async function readPage<Item>(
  page: Page,
  count: () => Promise<number>,
  rows: () => Promise<Item[]>,
): Promise<{ totalCount: string; result: Item[] }> {
  return { totalCount: String(await count()), result: page.limit === 0 ? [] : await rows() };
}

export async function countOf<DB, TB extends keyof DB, O>(rows: SelectQueryBuilder<DB, TB, O>): Promise<number> {
  const { count } = (await rows
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()) as { count: number };
  return count;
}

/** The text that `holdsText` searches: lower case, with one line for each searchable value. */
export function searchText(...parts: readonly string[]): string {
  return parts.join('\n').toLowerCase();
}
