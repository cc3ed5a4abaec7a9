import { type Kysely, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';
import type { Commits } from './commits.ts';
import { type Cursor, noGaps } from './cursor.ts';
import { columns, type EventRow } from './row.ts';

/** How far below the newest row a missing row can still appear. */
const widestGap = 10_000;

/**
 * Transactions end in another order than they got their positions. So a position that is missing below a visible one is a
 * gap, and is queried with each read, until the row appears or every transaction has ended that had begun when the gap was
 * noticed: then the row was rolled back. Readers never wait for the slowest transaction, and miss none of its events.
 *
 * A transaction must have its id before it gets a position; that of a recorder has, since it updates the device first.
 */
export function postgresCommits(query: Kysely<Tables>): Commits {
  /** Gaps of transactions that began before the transaction `xid`. */
  let older: { gaps: ReadonlySet<number>; xid: number } | undefined;

  /** The id of a new transaction. */
  async function newTransactionID(): Promise<number> {
    const { rows } = await sql<{ xid: number }>`select pg_current_xact_id()::text::bigint as xid`.execute(query);
    return rows[0]!.xid;
  }

  /** The gaps that can still be filled when `running` is the oldest transaction that has not ended. */
  async function stillOpen(gaps: ReadonlySet<number>, running: number): Promise<ReadonlySet<number>> {
    let open = gaps;
    if (older && older.xid < running) {
      open = gaps.difference(older.gaps);
      older = undefined;
    }
    if (open.size > 0) older ??= { gaps: open, xid: await newTransactionID() };
    return open;
  }

  /** Positions up to `pos` without a visible row. */
  async function missing(pos: number): Promise<ReadonlySet<number>> {
    const { rows } = await sql<{ pos: number }>`
      select pos from generate_series(${Math.max(1, pos - widestGap)}::bigint, ${pos}::bigint) as pos
      except select pos from event where pos >= ${pos - widestGap}`.execute(query);
    return new Set(rows.map((row) => row.pos));
  }

  return {
    newest: async () => {
      // Not the newest row, which may be removed.
      const sequence = await sql<{ pos: number }>`
        select case when is_called then last_value else 0 end as pos from event_pos_seq`.execute(query);
      const { pos } = sequence.rows[0]!;
      const xid = await newTransactionID();
      const { rows } = await sql<{ running: number }>`select ${oldestRunning} as running`.execute(query);
      older = undefined;
      if (xid < rows[0]!.running) return { pos, gaps: noGaps };
      const gaps = await missing(pos);
      if (gaps.size > 0) older = { gaps, xid };
      return { pos, gaps };
    },
    since: async ({ pos, gaps }, limit) => {
      const gapList = JSON.stringify([...gaps]);
      const { rows } = await sql<{ running: number } & (EventRow | { pos: null })>`
        select ${oldestRunning} as running, found.* from (select 1) as one left join (
          (select ${fields} from event where pos > ${pos} order by pos limit ${limit})
          union all
          select ${fields} from event where pos in (select value::bigint from json_array_elements_text(${gapList}::json))
        ) as found on true order by found.pos`.execute(query);
      const found = rows.filter((row): row is typeof row & EventRow => row.pos !== null);
      const isMore = found.filter((row) => row.pos > pos).length === limit;
      const cursorBehind = advance({ pos, gaps }, found);
      const openGaps = await stillOpen(cursorBehind.gaps, rows[0]!.running);
      return { rows: found, cursor: { ...cursorBehind, gaps: openGaps }, isMore };
    },
    committed: () => {},
  };
}

const fields = sql.join(columns.map((column) => sql.ref(column)));
/** Transactions of all databases of the server count, but only those that write. */
const oldestRunning = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;

/** The cursor after `rows`, which are in the order of their positions. */
function advance(cursor: Cursor, rows: readonly EventRow[]): Cursor {
  let { pos } = cursor;
  const gaps = new Set(cursor.gaps);
  for (const row of rows) {
    gaps.delete(row.pos);
    for (let gap = Math.max(pos + 1, row.pos - widestGap); gap < row.pos; gap++) gaps.add(gap);
    pos = Math.max(pos, row.pos);
  }
  return { pos, gaps };
}
