import type { SourceDatabase, SourceRow } from '../source/postgres.ts';
import { BrokenRow } from '../source/read-row.ts';
import type { TargetRow } from '../target/target-rows.ts';
import type { ImportPass } from './import-pass.ts';

/** The reason why a row is not imported. */
export class NotImportable extends Error {
  override readonly name = 'LeftBehind';
}

interface RowImport {
  what: string;
  /** The name of a row in reports; never a secret. */
  nameInReport: (row: SourceRow) => string;
  /**
   * Throws NotImportable or BrokenRow for a row that cannot be imported. Records it in `imported` only when all of it
   * can.
   */
  toTargetRows: (row: SourceRow) => TargetRow[];
  /** The problem that the contract finds in an imported row. */
  problemOf?: (row: SourceRow) => string | undefined;
}

/**
 * The target rows of a batch. A row that cannot be imported is counted with its reason; the others are not affected.
 */
export function importRows(
  { report }: ImportPass,
  rows: readonly SourceRow[],
  { what, nameInReport, toTargetRows, problemOf }: RowImport,
): TargetRow[] {
  const count = report.count(what);
  return rows.flatMap((row) => {
    count.inV3 += 1;
    try {
      const wanted = toTargetRows(row);
      const problem = problemOf?.(row);
      if (problem)
        report.find('notice', what, `imported unchanged, and refused when it is edited: ${problem}`, nameInReport(row));
      return wanted;
    } catch (error) {
      if (!(error instanceof NotImportable || error instanceof BrokenRow || error instanceof SyntaxError)) throw error;
      count.notCarried += 1;
      const because = error instanceof SyntaxError ? 'a value cannot be read' : error.message;
      report.find('not imported', what, because, nameInReport(row));
      return [];
    }
  });
}

/** Imports all rows of a table by `importRows`. */
export async function* importTable(
  pass: ImportPass,
  { database, table, after, ...reading }: RowImport & { database: SourceDatabase; table: string; after?: string },
): AsyncGenerator<TargetRow[]> {
  pass.report.count(reading.what);
  for await (const rows of database.rows(table, undefined, after)) yield importRows(pass, rows, reading);
}

/** Rows of a network server, by one of their columns. */
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
