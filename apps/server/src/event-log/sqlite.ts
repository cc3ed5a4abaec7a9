import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Commits } from './commits.ts';
import { noGaps } from './cursor.ts';
import { columns, type EventRow } from './row.ts';

/** The most committed rows that are cached for readers, while a reader has read within this time. */
const maxCached = 2000;
const cachedForMs = 1000;

const pageOfEvents = statement<EventRow>()({
  // SQLite would plan the statement anew for each value of a bare limit.
  sql: `select ${columns.join(', ')} from event where pos > $pos and pos <= $last order by pos limit $limit + 0`,
  given: { pos: 'int8', last: 'int8', limit: 'int8' },
  only: 'sqlite',
});

/**
 * One transaction writes at a time, so positions have the order of commits. A row can be read a moment before it is on
 * disk: only rows that this process knows to be on disk are returned.
 */
export async function sqliteCommits(database: Database): Promise<Commits> {
  const { query } = database;
  const { newest } = await query
    .selectFrom('event')
    .select(({ fn }) => fn.max('pos').as('newest'))
    .executeTakeFirstOrThrow();
  let onDisk = Number(newest ?? 0);
  /** Rows of this process that no reader has read yet, in the order of their commits. */
  let cached: EventRow[] = [];
  let readAt = Number.NEGATIVE_INFINITY;

  /** The next rows without a missing position between them: rows that are not cached are in the table. */
  function takeCached(pos: number, limit: number): EventRow[] {
    const rows: EventRow[] = [];
    let at = 0;
    for (; at < cached.length && rows.length < limit; at++) {
      const row = cached[at]!;
      if (row.pos === pos + rows.length + 1) rows.push(row);
    }
    cached = cached.slice(at);
    return rows;
  }

  return {
    newest: () => Promise.resolve({ pos: onDisk, gaps: noGaps }),
    since: async ({ pos }, limit) => {
      const last = onDisk;
      readAt = performance.now();
      const follows = takeCached(pos, limit);
      if (follows.length > 0) {
        const upTo = pos + follows.length;
        return { rows: follows, cursor: { pos: upTo, gaps: noGaps }, isMore: upTo < last };
      }
      const rows = pos < last ? await pageOfEvents(database).all({ pos, last, limit }) : [];
      const isMore = rows.length === limit;
      return { rows, cursor: { pos: isMore ? rows.at(-1)!.pos : Math.max(pos, last), gaps: noGaps }, isMore };
    },
    committed: (row) => {
      onDisk = Math.max(onDisk, row.pos);
      if (performance.now() - readAt > cachedForMs || cached.length >= maxCached) cached = [];
      else cached.push(row);
    },
  };
}
