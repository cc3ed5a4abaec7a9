import { byteOrderMark, type CSVCell, csvLine, type DownloadFormatName } from '@hilltop/contract';

/** A row by the names of its columns. */
export type FileRow = Readonly<Record<string, CSVCell>>;

/** Rows with these columns, as CSV or with one JSON object per line, from which empty values are left out. */
export async function* tableFile(
  format: Extract<DownloadFormatName, 'CSV' | 'NDJSON'>,
  columns: readonly string[],
  pages: AsyncIterable<readonly FileRow[]>,
): AsyncGenerator<string> {
  if (format === 'CSV') yield byteOrderMark + csvLine(columns);
  for await (const rows of pages)
    yield rows
      .map((row) => (format === 'CSV' ? csvLine(columns.map((name) => row[name])) : jsonLine(columns, row)))
      .join('');
}

function jsonLine(columns: readonly string[], row: FileRow): string {
  const given = columns
    .map((name) => [name, row[name]] as const)
    .filter(([, value]) => value !== undefined && value !== '');
  return `${JSON.stringify(Object.fromEntries(given))}\n`;
}
