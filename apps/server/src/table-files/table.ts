import { importLimits } from '@hilltop/contract/import-limits';

/** The cells of a file as text. */
export interface TableFile {
  /** The names of the columns. */
  columns: string[];
  rows: TableFileRow[];
}

export interface TableFileRow {
  /** The number of the row as a spreadsheet shows it. */
  number: number;
  cells: string[];
}

/** A file that cannot be read, with a sentence for its sender. */
export class UnusableTable extends Error {}

/** A formula without a value that the spreadsheet has stored. */
export const notCalculated = '#NOT CALCULATED!';

/** No field is longer. */
export const longestCell = 8_192;
/** Cells of an XLSX file can refer to one text many times, so that a small file has large cells. */
const mostCharacters = 10_000_000;

/** Collects rows, and refuses a table that is too large before the rest of it is read. */
export class RowCollector {
  readonly #rows: TableFileRow[] = [];
  readonly #mostRows: number;
  #characters = 0;
  #width = 0;

  /** `mostRows` does not include the row with the names. */
  constructor(mostRows: number = importLimits.rows) {
    this.#mostRows = mostRows;
  }

  get width(): number {
    return this.#width;
  }

  add(number: number, given: readonly string[]): void {
    const cells = given.map((cell) => cell.trim());
    const last = cells.findLastIndex((cell) => cell !== '');
    if (last < 0) return;
    const { columns, rows } = importLimits;
    if (last >= columns) throw tooManyColumns(last + 1);
    if (this.#rows.length > this.#mostRows)
      throw new UnusableTable(
        `The file has more than ${rows.toLocaleString('en')} rows. Divide it and import each part.`,
      );
    for (const cell of cells) {
      if (cell.length > longestCell)
        throw new UnusableTable(
          `A cell in row ${number} has more than ${longestCell.toLocaleString('en')} characters. Delete or shorten it.`,
        );
      this.#characters += cell.length;
    }
    if (this.#characters > mostCharacters)
      throw new UnusableTable('The cells have more than 10 million characters. Divide the file and import each part.');
    this.#width = Math.max(this.#width, last + 1);
    this.#rows.push({ number, cells: cells.slice(0, last + 1) });
  }

  /** The first row has the names of the columns, unless it looks like a device. */
  table(): TableFile {
    const [first] = this.#rows;
    if (!first) throw new UnusableTable('The file has no rows.');
    const hasNames = !first.cells.some((cell) => identifier.test(cell));
    const named = hasNames ? first.cells : [];
    const rows = hasNames ? this.#rows.slice(1) : this.#rows;
    if (rows.length === 0) throw new UnusableTable('The file has names of columns and no other row.');
    const columns = Array.from({ length: this.#width }, (_, at) => named[at] || `Column ${at + 1}`);
    return { columns, rows };
  }
}

/** An EUI or a key, with or without separators between its bytes. */
const identifier = /^(0x)?([0-9a-f]{2}[-: ]?){7}([0-9a-f]{2}|([0-9a-f]{2}[-: ]?){8}[0-9a-f]{2})$/i;

export const tooManyColumns = (columns: number): UnusableTable =>
  new UnusableTable(
    `The file has ${columns} columns. The limit is ${importLimits.columns}: delete those that are not needed.`,
  );
