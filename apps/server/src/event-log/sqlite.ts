import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import type { Commits } from './commits.ts';
import { noGaps } from './cursor.ts';
import { columns, type EventRow } from './row.ts';

/** So many rows are kept for whoever reads on, as long as somebody has read within this time. */
const mostKept = 2000;
const keptMs = 1000;

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
  /** Rows of this process that nobody has read yet, as they were told of. */
  let kept: EventRow[] = [];
  let readAt = Number.NEGATIVE_INFINITY;

  /** The next rows without one between them: what is missing here is in the table. */
  function takeKept(pos: number, limit: number): EventRow[] {
    const rows: EventRow[] = [];
    let at = 0;
    for (; at < kept.length && rows.length < limit; at++) {
      const row = kept[at]!;
      if (row.pos === pos + rows.length + 1) rows.push(row);
    }
    kept = kept.slice(at);
    return rows;
  }

  return {
    newest: () => Promise.resolve({ pos: onDisk, gaps: noGaps }),
    since: async ({ pos }, limit) => {
      const last = onDisk;
      readAt = performance.now();
      const follows = takeKept(pos, limit);
      if (follows.length > 0) {
        const upTo = pos + follows.length;
        return { rows: follows, place: { pos: upTo, gaps: noGaps }, isMore: upTo < last };
      }
      const rows = pos < last ? await page.all({ pos, last, limit }) : [];
      const isMore = rows.length === limit;
      return { rows, place: { pos: isMore ? rows.at(-1)!.pos : Math.max(pos, last), gaps: noGaps }, isMore };
    },
    committed: (row) => {
      onDisk = Math.max(onDisk, row.pos);
      if (performance.now() - readAt > keptMs || kept.length >= mostKept) kept = [];
      else kept.push(row);
    },
  };
}
