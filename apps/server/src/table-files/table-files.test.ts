import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvLine } from '@hilltop/contract';
import { readCSV } from './csv.ts';
import { createTableReader } from './read.ts';
import { UnusableTable } from './table.ts';
import { workbook } from './testing/workbook.ts';
import { readXLSX } from './xlsx.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) => new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le'));
const cellsOf = (table: { rows: { cells: string[] }[] }) => table.rows.map(({ cells }) => cells);

/** The same ZIP file with another size of one of its files in the directory. */
function withDeclaredSize(zip: Uint8Array, name: string, size: number): Uint8Array {
  const file = Buffer.from(zip);
  file.writeUInt32LE(size, file.lastIndexOf(name) - 46 + 24);
  return file;
}

describe('CSV files', () => {
  const expected = {
    columns: ['DevEUI', 'Name'],
    rows: [
      { number: 2, cells: ['0004a30b001e5e10', 'über'] },
      { number: 4, cells: ['0004a30b001e5e11', 'a,b;c'] },
    ],
  };
  const lines = (separator: string) =>
    `DevEUI${separator}Name\r\n0004a30b001e5e10${separator}über\r\n\r\n0004a30b001e5e11${separator}"a,b;c"\r\n`;

  for (const [name, separator] of Object.entries({ commas: ',', semicolons: ';', tabs: '\t' }))
    it(`are read with ${name}, with row numbers as in a spreadsheet`, () => {
      assert.deepEqual(readCSV(bytes(lines(separator))), expected);
    });

  it('are read in UTF-8 with a byte order mark, in UTF-16 and in Windows-1252', () => {
    assert.deepEqual(readCSV(bytes(`\uFEFF${lines(',')}`)), expected);
    assert.deepEqual(readCSV(utf16(lines('\t'))), expected);
    assert.deepEqual(readCSV(new Uint8Array(Buffer.from(lines(';'), 'latin1'))), expected);
  });

  it('may name their separator in the first line', () => {
    assert.deepEqual(cellsOf(readCSV(bytes('sep=;\r\na;b\r\n"1,2,3";4,5\r\n'))), [['1,2,3', '4,5']]);
  });

  it('may have no names of columns', () => {
    const { columns, rows } = readCSV(bytes('0004A30B001E5E10,x\n0004A30B001E5E11,y\n'));
    assert.deepEqual(
      [columns, rows.map(({ number }) => number)],
      [
        ['Column 1', 'Column 2'],
        [1, 2],
      ],
    );
  });

  it('lose the marks of texts that look like formulas', () => {
    const text =
      csvLine(['name', 'note', 'code']) +
      csvLine(['a', '=1+1', '-x']) +
      csvLine(['c', "'=1", "''-x"]) +
      'b,"=""0012""",\'quoted\n';
    assert.deepEqual(cellsOf(readCSV(bytes(text))), [
      ['a', '=1+1', '-x'],
      ['c', "'=1", "''-x"],
      ['b', '0012', "'quoted"],
    ]);
  });

  const refused: Record<string, [string, RegExp]> = {
    'that are empty': ['', /no rows/],
    'with names only': ['devEUI,name\n', /no other row/],
    'that are no text': ['\u0000\u0001\u0002', /neither CSV nor XLSX/],
    'with more than 300 columns': [`${'a,'.repeat(300)}a\n`, /301 columns/],
    'with more than 50,000 rows': [`name\n${'a\n'.repeat(50_001)}`, /more than 50,000 rows/],
    'with an open quotation mark': ['name,note\n"a,b\nc,d\n', /quotation mark/],
  };
  for (const [name, [text, problem]] of Object.entries(refused))
    it(`${name} are refused`, () => {
      assert.throws(
        () => readCSV(bytes(text)),
        (error) => error instanceof UnusableTable && problem.test(error.message),
      );
    });
});

describe('XLSX files', () => {
  it('have texts, numbers, dates, truths and results of formulas', () => {
    const file = workbook([
      ['text', 'number', 'date', 'truth', 'formula'],
      [
        'a & b',
        { number: '21.399999999999999' },
        { number: '45000', style: 1 },
        { xml: '<c t="b"><v>1</v></c>' },
        { xml: '<c t="str"><f>A1</f><v>r</v></c>' },
      ],
    ]);
    assert.deepEqual(readXLSX(file), {
      columns: ['text', 'number', 'date', 'truth', 'formula'],
      rows: [{ number: 2, cells: ['a & b', '21.4', '2023-03-15', 'true', 'r'] }],
    });
  });

  it('show the digits that a spreadsheet has lost of an EUI', () => {
    const file = workbook([['devEUI'], [{ number: '1.23456789012345E+15' }], [{ number: '7076000000000123' }]]);
    assert.deepEqual(cellsOf(readXLSX(file)), [['1.23456789012345E+15'], ['7.076000000000123E+15']]);
  });

  it('show formulas with an error or without a value', () => {
    const file = workbook([
      ['a', 'b'],
      [{ xml: '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>' }, { xml: '<c><f>B1</f></c>' }],
    ]);
    assert.deepEqual(cellsOf(readXLSX(file)), [['#DIV/0!', '#NOT CALCULATED!']]);
  });

  it('keep columns in place where cells are empty', () => {
    assert.deepEqual(
      cellsOf(
        readXLSX(
          workbook([
            ['a', 'b', 'c'],
            ['', '', 'x'],
          ]),
        ),
      ),
      [['', '', 'x']],
    );
  });

  const sheet = 'xl/worksheets/sheet1.xml';
  /** A small file whose cells all show one text. */
  const sharedText = (length: number, count: number) => {
    const rows = Array.from({ length: count }, (_, at) => `<row r="${at + 1}"><c t="s"><v>0</v></c></row>`);
    return workbook([], {
      [sheet]: `<sheetData>${rows.join('')}</sheetData>`,
      'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(length)}</t></si></sst>`,
    });
  };
  const refused: Record<string, [() => Uint8Array, RegExp]> = {
    'with a cell far to the right': [
      () => workbook([], { [sheet]: '<sheetData><row r="1"><c r="XFD1"><v>1</v></c></row></sheetData>' }),
      /16384 columns/,
    ],
    'that unpack to more than 100 MB': [
      () => withDeclaredSize(workbook([['a'], ['b']]), 'xl/styles.xml', 101 * 2 ** 20),
      /larger than 100 MB/,
    ],
    'with a text to which too many cells refer': [() => sharedText(8_000, 1_300), /more than 10 million characters/],
    'with a cell that is too long': [() => sharedText(100_000, 1), /row 1 has more than 8,192 characters/],
    'with broken XML': [() => workbook([['a']], { [sheet]: '<sheetData><row' }), /damaged/],
    'without a sheet': [() => workbook([['a']], { 'xl/workbook.xml': '<workbook/>' }), /no sheet/],
    'that are cut off': [() => workbook([['a'], ['b']]).subarray(0, 300), /damaged/],
  };
  for (const [name, [file, problem]] of Object.entries(refused))
    it(`${name} are refused`, () => {
      assert.throws(
        () => readXLSX(file()),
        (error) => error instanceof UnusableTable && problem.test(error.message),
      );
    });

  it('expand no entities that they declare', () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(1000)}"><!ENTITY b "&a;&a;">]><sheetData><row r="1"><c r="A1" t="str"><v>x</v></c></row><row r="2"><c r="A2" t="str"><v>&b;</v></c></row></sheetData>`;
    assert.deepEqual(cellsOf(readXLSX(workbook([], { [sheet]: bomb }))), [['&b;']]);
  });
});

describe('the reader of uploaded tables', () => {
  const read = createTableReader();

  it('recognizes the format by its first bytes', async () => {
    assert.deepEqual(cellsOf(await read(workbook([['a'], ['b']]))), [['b']]);
    assert.deepEqual(cellsOf(await read(bytes('a\nb\n'))), [['b']]);
    await assert.rejects(read(Uint8Array.fromHex('d0cf11e0a1b11ae1')), /old or protected Excel/);
  });

  it('survives random files', async () => {
    let seed = 7;
    const random = () => (seed = (seed * 48_271) % 0x7fffffff) / 0x7fffffff;
    const alphabet = [
      'a',
      '0',
      ',',
      ';',
      '\t',
      '"',
      "'",
      '\n',
      '\r\n',
      '=',
      '-',
      '<',
      '&',
      'é',
      '\u2028',
      '__proto__',
      ' ',
      '1E5',
    ];
    for (let run = 0; run < 120; run += 1) {
      const text = Array.from(
        { length: 1 + random() * 400 },
        () => alphabet[Math.floor(random() * alphabet.length)],
      ).join('');
      for (const file of [() => readCSV(bytes(text)), () => readXLSX(workbook([text.split(/[,;]/), text.split('\n')]))])
        try {
          file();
        } catch (error) {
          assert.ok(error instanceof UnusableTable, `${JSON.stringify(text)}: ${String(error)}`);
        }
    }
  });
});
