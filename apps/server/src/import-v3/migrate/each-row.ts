import type { Move } from '../move.ts';
import { BrokenRow } from '../read-row.ts';
import type { SourceDatabase, SourceRow } from '../source/postgres.ts';
import type { WantedRow } from '../wanted.ts';

/** Why a row stays behind. */
export class LeftBehind extends Error {
  override readonly name = 'LeftBehind';
}

interface Reading {
  what: string;
  /** A row in reports; never a secret. */
  called: (row: SourceRow) => string;
  /** Throws LeftBehind or BrokenRow for one that cannot be carried, and remembers one that can only when it has all of it. */
  carry: (row: SourceRow) => WantedRow[];
  /** What our rules say of one that is carried. */
  problemOf?: (row: SourceRow) => string | undefined;
}

/** What a batch of rows becomes. Each that cannot be carried is counted with its reason, and disturbs no other. */
export function carryRows(
  { report }: Move,
  rows: readonly SourceRow[],
  { what, called, carry, problemOf }: Reading,
): WantedRow[] {
  const count = report.count(what);
  return rows.flatMap((row) => {
    count.inV3 += 1;
    try {
      const wanted = carry(row);
      const problem = problemOf?.(row);
      if (problem)
        report.find('notice', what, `carried as it is, and refused when it is edited: ${problem}`, called(row));
      return wanted;
    } catch (error) {
      if (!(error instanceof LeftBehind || error instanceof BrokenRow || error instanceof SyntaxError)) throw error;
      count.notCarried += 1;
      const because = error instanceof SyntaxError ? 'a value cannot be read' : error.message;
      report.find('not carried', what, because, called(row));
      return [];
    }
  });
}

/** The same for all rows of a table. */
export async function* carryTable(
  move: Move,
  { database, table, after, ...reading }: Reading & { database: SourceDatabase; table: string; after?: string },
): AsyncGenerator<WantedRow[]> {
  move.report.count(reading.what);
  for await (const rows of database.rows(table, undefined, after)) yield carryRows(move, rows, reading);
}

/** Rows of a network server by one of their columns. */
export async function rowsBy(
  database: SourceDatabase,
  table: string,
  column: string,
  values: readonly unknown[],
  columns?: readonly string[],
): Promise<Map<string, SourceRow>> {
  const rows = await database.rowsWhere(table, column, values, columns);
  return new Map(rows.map((row) => [textOfKey(row[column]), row]));
}

export const textOfKey = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);

export const buffersOf = (keys: readonly string[]): Buffer[] => keys.map((key) => Buffer.from(key, 'hex'));
