import { byteOrderMark, type CSVCell, csvLine, type DownloadFormatName, importLimits } from '@hilltop/contract';

export type TableFormat = Extract<DownloadFormatName, 'CSV' | 'NDJSON'>;

/** A row by the names of its columns. */
export type FileRow = Readonly<Record<string, CSVCell>>;

/** The name of the last column of a CSV file that would have more columns than an import reads. */
const others = 'otherColumns';

/**
 * Rows with these columns and those of `mapNames`, as CSV or with one JSON object per line, from which empty values are
 * left out, except those of tags and variables. A CSV file has at most as many columns as an import reads: the last one has the others as JSON.
 */
export async function* tableFile(
  format: TableFormat,
  { columns, mapNames }: { columns: readonly string[]; mapNames: readonly string[] },
  pages: AsyncIterable<readonly FileRow[]>,
): AsyncGenerator<string> {
  if (format === 'NDJSON') {
    const isOwn = new Set(columns);
    for await (const rows of pages) yield rows.map((row) => jsonLine(row, isOwn)).join('');
    return;
  }
  const all = [...columns, ...mapNames];
  const isWide = all.length > importLimits.columns;
  const shown = isWide ? all.slice(0, importLimits.columns - 1) : all;
  const isShown = new Set(shown);
  yield byteOrderMark + csvLine(isWide ? [...shown, others] : shown);
  for await (const rows of pages)
    yield rows
      .map((row) => {
        const cells = shown.map((name) => (isOfMap(name) ? entryCell(row[name]) : row[name]));
        return csvLine(isWide ? [...cells, otherCells(row, isShown)] : cells);
      })
      .join('');
}

/** An entry with an empty value is not the same as no entry: it gets an apostrophe, which imports take off again. */
const entryCell = (value: CSVCell): CSVCell => (typeof value === 'string' && /^'*$/.test(value) ? `'${value}` : value);

const isOfMap = (name: string) => name.startsWith('tag.') || name.startsWith('var.');

function otherCells(row: FileRow, isShown: ReadonlySet<string>): string {
  const rest = Object.entries(row).filter(([name]) => isOfMap(name) && !isShown.has(name));
  return rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest));
}

function jsonLine(row: FileRow, isOwn: ReadonlySet<string>): string {
  const given = Object.entries(row).filter(
    ([name, value]) => isOfMap(name) || (isOwn.has(name) && value !== undefined && value !== ''),
  );
  return `${JSON.stringify(Object.fromEntries(given))}\n`;
}

/** Collects the names of tags and variables for the columns of a CSV file: not more than it can have. */
export class MapNames {
  readonly #names = new Set<string>();

  /** False: no further name has a column. */
  add(map: 'tag' | 'var', values: Readonly<Record<string, string>>): boolean {
    for (const name of Object.keys(values)) {
      if (this.#names.size >= importLimits.columns) return false;
      this.#names.add(`${map}.${name}`);
    }
    return true;
  }

  sorted(): string[] {
    return [...this.#names].sort();
  }
}
