import { byteOrderMark } from '@hilltop/contract/csv';
import { importLimits } from '@hilltop/contract/import-limits';
import { CsvError, type Options, parse } from 'csv-parse/sync';
import { RowCollector, type TableFile, tooManyColumns, UnusableTable } from './table.ts';

const separators = [',', ';', '\t'] as const;
type Separator = (typeof separators)[number];

/** Lines that decide the separator. */
const sampleLines = 20;

/** Reads a CSV file: separated by commas, semicolons or tabs, in UTF-8, UTF-16 or Windows-1252. */
export function readCSV(bytes: Uint8Array): TableFile {
  const text = decode(bytes);
  if (isBinary.test(text.slice(0, 4096)))
    throw new UnusableTable('This file is neither CSV nor XLSX. Save the table as one of them.');
  const named = /^sep=([,;\t])\r?\n/i.exec(text);
  const content = named ? text.slice(named[0].length) : text;
  const separator = (named?.[1] as Separator | undefined) ?? separatorOf(content);
  const collector = new RowCollector();
  const firstNumber = named ? 1 : 0;
  const onRecord = (cells: string[], { records }: { records: number }) => {
    collector.add(firstNumber + records, cells.map(unquoted));
    return null;
  };
  try {
    parse(content, { ...optionsOf(separator), onRecord } as never);
  } catch (error) {
    throw error instanceof CsvError ? new UnusableTable(problemOf(error)) : error;
  }
  return collector.table();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they show that the file is no text.
// oxlint-disable-next-line no-control-regex -- the same
const isBinary = /[\0-\x08\x0E-\x1A]/;

const optionsOf = (delimiter: Separator): Options => ({
  delimiter,
  relax_column_count: true,
  relax_quotes: true,
  max_record_size: 4 * 2 ** 20,
});

function problemOf({ code, lines }: CsvError & { lines?: number }): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return `A quotation mark opens before line ${lines ?? 1} and is not closed. Close or delete it.`;
  return `Line ${lines ?? 1} cannot be read. Save the table as CSV or XLSX again.`;
}

/** Programs write the encoding in different ways; a file that is no UTF-8 is taken for Windows-1252. */
function decode(bytes: Uint8Array): string {
  const mark = [...bytes.subarray(0, 2)].join(' ');
  if (mark === '255 254') return new TextDecoder('utf-16le').decode(bytes);
  if (mark === '254 255') return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(byteOrderMark, '');
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The separator that divides the first lines into most columns, the same number in each. */
function separatorOf(text: string): Separator {
  const sample = text
    .split('\n', sampleLines + 1)
    .slice(0, sampleLines)
    .join('\n');
  const scored = separators.map((separator) => {
    const widths = widthsOf(sample, separator);
    const [width = 1] = widths;
    const equal = widths.filter((one) => one === width).length;
    return {
      separator,
      score: width === 1 ? 0 : (equal / widths.length) * 1000 + Math.min(width, importLimits.columns),
    };
  });
  const [best] = scored.sort((one, other) => other.score - one.score);
  return best!.score === 0 ? ',' : best!.separator;
}

function widthsOf(sample: string, separator: Separator): number[] {
  try {
    const widths = parse(sample, {
      ...optionsOf(separator),
      onRecord: (cells: string[]) => {
        if (cells.length > 100 * importLimits.columns) throw tooManyColumns(cells.length);
        return [String(cells.length)];
      },
    } as never) as unknown as string[][];
    return widths.map(([width]) => Number(width));
  } catch (error) {
    if (error instanceof UnusableTable) throw error;
    return [1];
  }
}

/** The text of a cell that a program marked as text: `'=1+1` in our files, `="0012"` where Excel reads it. */
function unquoted(cell: string): string {
  if (/^'+[=+\-@\t\r]/.test(cell)) return cell.slice(1);
  return /^="([^"]*)"$/.exec(cell)?.[1] ?? cell;
}
