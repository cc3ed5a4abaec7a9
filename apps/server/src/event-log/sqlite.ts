import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import type { Commits } from './commits.ts';
import { noGaps } from './place.ts';
import { columns } from './row.ts';

/**
 * One transaction writes at a time, so numbers have the order of commits. A row can be read a moment before it is on
 * disk: only those are shown of which this process knows that they are.
 */
export async function sqliteCommits(database: Database): Promise<Commits> {
  const { query } = database;
  const page = prepare<{ pos: number; last: number; limit: number }>()(database, (from, $) =>
    from
      .selectFrom('event')
      .select(columns)
      .where('pos', '>', $.pos)
      .where('pos', '<=', $.last)
      .orderBy('pos')
      .limit($.limit),
  );
  const { newest } = await query
    .selectFrom('event')
    .select(({ fn }) => fn.max('pos').as('newest'))
    .executeTakeFirstOrThrow();
  let onDisk = Number(newest ?? 0);

  return {
    newest: () => Promise.resolve({ pos: onDisk, gaps: noGaps }),
    since: async ({ pos }, limit) => {
      const last = onDisk;
      const rows = pos < last ? await page.all({ pos, last, limit }) : [];
      const isMore = rows.length === limit;
      return { rows, place: { pos: isMore ? rows.at(-1)!.pos : Math.max(pos, last), gaps: noGaps }, isMore };
    },
    committed: (pos) => {
      onDisk = Math.max(onDisk, pos);
    },
  };
}
