import { strToU8, zipSync } from 'fflate';

/** A cell: text, a number as a spreadsheet stores it, or XML. */
export type WorkbookCell = string | { number: string; style?: number } | { xml: string };

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function columnName(at: number): string {
  const rest = Math.floor(at / 26);
  return (rest > 0 ? columnName(rest - 1) : '') + String.fromCharCode(65 + (at % 26));
}

/** An XLSX file with one sheet; `parts` replaces or adds files in it. */
export function workbook(rows: readonly (readonly WorkbookCell[])[], parts: Readonly<Record<string, string>> = {}) {
  const texts: string[] = [];
  const cellXML = (cell: WorkbookCell, address: string) => {
    if (typeof cell === 'string') {
      texts.push(cell);
      return `<c r="${address}" t="s"><v>${texts.length - 1}</v></c>`;
    }
    if ('xml' in cell) return cell.xml.replace('<c ', `<c r="${address}" `);
    return `<c r="${address}" s="${cell.style ?? 0}"><v>${cell.number}</v></c>`;
  };
  const sheet = rows.map(
    (cells, row) =>
      `<row r="${row + 1}">${cells.map((cell, at) => (cell === '' ? '' : cellXML(cell, `${columnName(at)}${row + 1}`))).join('')}</row>`,
  );
  const files: Record<string, string> = {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><sheets><sheet name="Devices" sheetId="1" r:id="rId7"/><sheet name="Other" sheetId="2" r:id="rId8"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId7" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId1" Type="http://x/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId2" Type="http://x/styles" Target="styles.xml"/></Relationships>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${sheet.join('')}</sheetData></worksheet>`,
    'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`,
    ...parts,
  };
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
}
