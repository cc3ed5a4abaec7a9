export type CSVCell = string | number | boolean | null | undefined;

/** Programs that open CSV files run such texts as formulas. With apostrophes before them, readers could not remove ours. */
const needsApostrophe = /^'*[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

function csvCell(cell: CSVCell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = needsApostrophe.test(cell) ? `'${cell}` : cell;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** By this mark spreadsheets recognize UTF-8. */
export const byteOrderMark = '\uFEFF';

/** A line of a CSV file (RFC 4180). A text that a spreadsheet would take for a formula begins with an apostrophe. */
export const csvLine = (cells: readonly CSVCell[]): string => `${cells.map(csvCell).join(',')}\r\n`;
