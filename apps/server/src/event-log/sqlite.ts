import type { Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';
import type { Commits } from './commits.ts';
import { noGaps } from './place.ts';
import { columns } from './row.ts';

/**
 * One transaction writes at a time, so numbers have the order of commits. A row can be read a moment before it is on
 * disk: only those are shown of which this process knows that they are.
 */
export async function sqliteCommits(query: Kysely<Tables>): Promise<Commits> {
  const { newest } = await query
    .selectFrom('event')
    .select(({ fn }) => fn.max('pos').as('newest'))
    .executeTakeFirstOrThrow();
  let onDisk = Number(newest ?? 0);

  return {
    newest: () => Promise.resolve({ pos: onDisk, gaps: noGaps }),
    since: async ({ pos }, limit) => {
      const last = onDisk;
      const page = query.selectFrom('event').select(columns).where('pos', '>', pos).where('pos', '<=', last);
      const rows = pos < last ? await page.orderBy('pos').limit(limit).execute() : [];
      const isMore = rows.length === limit;
      return { rows, place: { pos: isMore ? rows.at(-1)!.pos : Math.max(pos, last), gaps: noGaps }, isMore };
    },
    committed: (pos) => {
      onDisk = Math.max(onDisk, pos);
    },
  };
}
