import type { SelectQueryBuilder } from 'kysely';

/** Which rows of a list are wanted. Limit 0 wants none, only how many there are. */
export interface Page {
  limit: number;
  offset: number;
}

/** One page of a list with the count of all its rows, as the API answers it. */
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

/** Text that `holdsText` looks in: lower case, one line for each thing one can search by. */
export function searchText(...parts: readonly string[]): string {
  return parts.join('\n').toLowerCase();
}
