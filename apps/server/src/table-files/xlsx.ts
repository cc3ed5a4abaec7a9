import { unzipSync } from 'fflate';
import { Parser } from 'saxen';
import { longestCell, notCalculated, RowCollector, type TableFile, UnusableTable } from './table.ts';

/*
 * Not read-excel-file: it reads formulas with an error as empty cells, and writes rows as wide as the address of a cell
 * says, so that a file of a few bytes fills the memory.
 */

const unpackedBytes = 100 * 2 ** 20;
const mostEntries = 2_000;

/** Reads the first sheet of an XLSX file. */
export function readXLSX(bytes: Uint8Array): TableFile {
  const { sheet, strings, styles } = partsOf(bytes);
  const shared = strings === '' ? [] : readStrings(strings);
  const dates = styles === '' ? new Set<number>() : dateStyles(styles);
  return readSheet(sheet, { shared, dates });
}

/** The files of the ZIP file that are needed, as text. */
function partsOf(bytes: Uint8Array) {
  const files = unzipped(bytes);
  const text = (name: string) => {
    const content = files.get(name);
    return content ? new TextDecoder().decode(content) : '';
  };
  const sheetID = firstSheet(text('xl/workbook.xml'));
  const targets = readRelations(text('xl/_rels/workbook.xml.rels'));
  const named = targets.find(({ id }) => id === sheetID);
  const ofType = (type: string) => targets.find((target) => target.type.endsWith(`/${type}`));
  const sheet = named ? text(named.path) : '';
  if (sheet === '') throw new UnusableTable('The XLSX file has no sheet with cells.');
  const part = (type: string) => text(ofType(type)?.path ?? '');
  return { sheet, strings: part('sharedStrings'), styles: part('styles') };
}

function unzipped(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  let total = 0;
  let entries = 0;
  /** The library never writes more than this declared size. */
  const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
    entries += 1;
    if (entries > mostEntries) throw tooLarge();
    if (!/^xl\/(worksheets\/[^/]+|[^/]+|_rels\/workbook\.xml)\.(xml|rels)$/.test(name)) return false;
    total += originalSize;
    if (total > unpackedBytes) throw tooLarge();
    return true;
  };
  try {
    return new Map(Object.entries(unzipSync(bytes, { filter })));
  } catch (error) {
    if (error instanceof UnusableTable) throw error;
    throw new UnusableTable('This XLSX file is damaged. Save it again.');
  }
}

const tooLarge = () =>
  new UnusableTable('The unpacked XLSX file is larger than 100 MB. Save only the sheet with the rows.');

type Attributes = Readonly<Record<string, string>>;

interface ElementHandlers {
  open?: (name: string, attributes: Attributes) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
}

/** Reads XML without prefixes of names. Entities that a file declares are not expanded. */
function readXML(xml: string, { open, close, text }: ElementHandlers): void {
  const parser = new Parser();
  const bare = (name: string) => name.slice(name.indexOf(':') + 1);
  parser.on('error', () => {
    throw new UnusableTable('This XLSX file is damaged. Save it again.');
  });
  if (open)
    parser.on('openTag', (name, attributes, decode) => {
      const given = Object.entries(attributes()).map(([key, value]) => [key, decode(value)] as const);
      open(bare(name), Object.fromEntries(given));
    });
  if (close) parser.on('closeTag', (name) => close(bare(name)));
  if (text) {
    parser.on('text', (value, decode) => text(decode(value)));
    parser.on('cdata', (value) => text(value));
  }
  parser.parse(xml);
}

function firstSheet(workbook: string): string {
  let found = '';
  readXML(workbook, {
    open: (name, attributes) => {
      if (name === 'sheet' && found === '') found = attributes['r:id'] ?? attributes.id ?? '';
    },
  });
  return found;
}

function readRelations(xml: string): { id: string; type: string; path: string }[] {
  const found: { id: string; type: string; path: string }[] = [];
  readXML(xml, {
    open: (name, { Id = '', Type = '', Target = '' }) => {
      const path = Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`;
      if (name === 'Relationship') found.push({ id: Id, type: Type, path });
    },
  });
  return found;
}

/** The texts that cells refer to by number. Phonetic hints are left out. */
function readStrings(xml: string): string[] {
  const found: string[] = [];
  let current = '';
  let isText = false;
  let isPhonetic = false;
  readXML(xml, {
    open: (name) => {
      if (name === 'si') current = '';
      else if (name === 'rPh') isPhonetic = true;
      isText = name === 't' && !isPhonetic;
    },
    text: (text) => {
      if (isText && current.length <= longestCell) current += text.slice(0, longestCell + 1);
    },
    close: (name) => {
      if (name === 'si') found.push(unescaped(current));
      else if (name === 'rPh') isPhonetic = false;
      isText = false;
    },
  });
  return found;
}

/** Characters that XML cannot hold are written `_x000D_`. */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

/** The numbers of the cell styles that show a date. */
function dateStyles(xml: string): Set<number> {
  const formats = new Set([14, 15, 16, 17, 22]);
  const styles = new Set<number>();
  let isCell = false;
  let style = 0;
  readXML(xml, {
    open: (name, { numFmtId, formatCode = '' }) => {
      if (name === 'numFmt' && /[ymd]/i.test(formatCode.replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')))
        formats.add(Number(numFmtId));
      if (name === 'cellXfs') isCell = true;
      if (name !== 'xf' || !isCell) return;
      if (formats.has(Number(numFmtId))) styles.add(style);
      style += 1;
    },
    close: (name) => {
      if (name === 'cellXfs') isCell = false;
    },
  });
  return styles;
}

interface Cell {
  type: string;
  style: number;
  hasFormula: boolean;
  /** Null without a value. */
  value: string | null;
}

function readSheet(xml: string, of: { shared: readonly string[]; dates: ReadonlySet<number> }): TableFile {
  const collector = new RowCollector();
  let number = 0;
  let cells: string[] = [];
  let column = 0;
  let cell: Cell | undefined;
  let isValue = false;
  readXML(xml, {
    open: (name, attributes) => {
      if (name === 'row') {
        number = Number(attributes.r) || number + 1;
        cells = [];
        column = 0;
      } else if (name === 'c') {
        column = columnOf(attributes.r) || column + 1;
        cell = { type: attributes.t ?? 'n', style: Number(attributes.s ?? 0), hasFormula: false, value: null };
      } else if (name === 'f' && cell) cell.hasFormula = true;
      isValue = name === 'v' || name === 't';
    },
    text: (text) => {
      if (isValue && cell && (cell.value?.length ?? 0) <= longestCell)
        cell.value = (cell.value ?? '') + text.slice(0, longestCell + 1);
    },
    close: (name) => {
      isValue = false;
      if (name === 'row') collector.add(number, cells);
      else if (name === 'c' && cell) {
        const text = textOf(cell, of);
        if (text !== '') {
          while (cells.length < column) cells.push('');
          cells[column - 1] = text;
        }
        cell = undefined;
      }
    },
  });
  return collector.table();
}

/** 28 of `AB12`; 0 without an address. */
function columnOf(address = ''): number {
  const letters = /^[A-Z]{1,3}/.exec(address)?.[0] ?? '';
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

function textOf(
  { type, style, hasFormula, value }: Cell,
  { shared, dates }: { shared: readonly string[]; dates: ReadonlySet<number> },
): string {
  if (value === null) return hasFormula ? notCalculated : '';
  if (type === 's') return shared[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'true' : 'false';
  if (type !== 'n') return unescaped(value);
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  if (dates.has(style)) return dateText(number) ?? value;
  // A spreadsheet keeps 15 digits of a number: the rest of an EUI is lost.
  return Math.abs(number) >= 1e15 ? number.toExponential().toUpperCase() : String(number);
}

/** Days since 1899-12-30. */
function dateText(days: number): string | undefined {
  const time = new Date(Math.round((days - 25_569) * 86_400_000));
  if (Number.isNaN(time.getTime())) return undefined;
  const text = time.toISOString();
  return Number.isInteger(days) ? text.slice(0, 10) : text;
}
