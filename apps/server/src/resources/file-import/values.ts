import { type Field, type FileImportKind, importKeys } from '@hilltop/contract';
import { readLabel } from '@hilltop/lorawan/tr005';
import { notCalculated } from '../../table-files/table.ts';
import { fieldOf, type ImportPlan, isRemovable, type RowProblem } from './plan.ts';

/** The values of a row by field, as text. Empty cells are left out; a cell with only an apostrophe is an empty value. */
export type RowValues = ReadonlyMap<string, string>;

interface ReadRow {
  values: RowValues;
  /** The fields of empty cells whose values an existing record loses. */
  removed: ReadonlySet<string>;
  problems: RowProblem[];
}

/** Reads the cells of one row by the plan. */
export function valuesOf(kind: FileImportKind, cells: readonly string[], plan: ImportPlan): ReadRow {
  const values = new Map<string, string>();
  const removed = new Set<string>();
  const problems: RowProblem[] = [];
  plan.columns.forEach(({ field, isReversed }, at) => {
    const cell = cells[at] ?? '';
    if (cell === '' && plan.whenExists === 'REPLACE' && isRemovable(field)) removed.add(field);
    if (field === '' || cell === '') return;
    const read = readCell(fieldOf(kind, field), cell, isReversed);
    if ('problem' in read) problems.push({ field, text: read.problem });
    else values.set(field, read.value);
  });
  for (const [field, value] of Object.entries(plan.constants))
    if (!values.has(field) && value !== '') {
      values.set(field, value);
      removed.delete(field);
    }
  readOnboardingTag(values, problems);
  if (!values.has('name') && plan.namePattern !== '') values.set('name', namedBy(plan.namePattern, values));
  return { values, removed, problems };
}

type Read = { value: string } | { problem: string };

const digitsOf: Readonly<Record<string, number>> = { eui64: 16, aes128Key: 32, devAddr: 8 };

function readCell(field: Field | undefined, cell: string, isReversed: boolean): Read {
  if (cell === notCalculated)
    return { problem: 'The formula in this cell has no value. Replace the formula by its value.' };
  if (/^#(N\/A|REF!|NAME\?|VALUE!|DIV\/0!|NULL!|NUM!|SPILL!|CALC!)$/.test(cell))
    return { problem: `The formula in this cell ends in ${cell}. Replace it by a value.` };
  const digits = digitsOf[field?.kind ?? ''];
  if (digits !== undefined) return readHex(cell, digits, isReversed);
  if (field?.kind === 'bool') return readTruth(cell);
  // Some countries write a decimal comma.
  if (field?.kind === 'double' && /^-?\d+,\d+$/.test(cell)) return { value: cell.replace(',', '.') };
  return { value: withoutApostrophe(cell) };
}

/** Only apostrophes: the first one stands for the empty text, as in spreadsheets. */
const withoutApostrophe = (cell: string): string => (/^'+$/.test(cell) ? cell.slice(1) : cell);

function readHex(cell: string, digits: number, isReversed: boolean): Read {
  if (/^\d(\.\d+)?E\+?\d+$/i.test(cell) && cell.length !== digits)
    return { problem: 'Excel turned this into a number. Format the column as text.' };
  const bare = cell
    .replace(/^0x/i, '')
    .replaceAll(/[\s:\-.]/g, '')
    .toLowerCase();
  if (!/^[0-9a-f]*$/.test(bare)) return { problem: `Must be ${digits} hexadecimal digits.` };
  if (bare.length !== digits) {
    const lost =
      /^\d+$/.test(cell) && bare.length < digits ? ' Excel removes leading zeros: format the column as text.' : '';
    return { problem: `Has ${bare.length} of ${digits} hexadecimal digits.${lost}` };
  }
  return { value: isReversed ? Uint8Array.fromHex(bare).reverse().toHex() : bare };
}

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  '1': true,
  false: false,
  no: false,
  '0': false,
};

function readTruth(cell: string): Read {
  const truth = Object.hasOwn(truths, cell.toLowerCase()) ? truths[cell.toLowerCase()] : undefined;
  return truth === undefined ? { problem: 'Must be true or false.' } : { value: String(truth) };
}

/** The code of a label has the DevEUI. */
function readOnboardingTag(values: Map<string, string>, problems: RowProblem[]): void {
  const field = 'onboardingTag';
  const code = values.get(field);
  if (code === undefined) return;
  const label = readLabel(code);
  const key = importKeys.DEVICES;
  if (label.kind !== 'device' || label.devEUI === undefined)
    problems.push({ field, text: 'This is no onboarding tag with a DevEUI.' });
  else if (label.isDamaged)
    problems.push({ field, text: 'The checksum of this onboarding tag is wrong. Scan it again.' });
  else if (!values.has(key)) values.set(key, label.devEUI);
  else if (values.get(key) !== label.devEUI)
    problems.push({ field, text: `The onboarding tag has another DevEUI: ${label.devEUI}.` });
}

/** `meter-{devEUI:-4}`: the last four characters of the DevEUI; `{devEUI:4}` are the first four. */
function namedBy(pattern: string, values: RowValues): string {
  return pattern.replace(/\{([^{}:]+)(?::(-?\d{1,3}))?\}/g, (_, field: string, part?: string) => {
    const value = values.get(field) ?? '';
    if (part === undefined) return value;
    return Number(part) < 0 ? value.slice(Number(part)) : value.slice(0, Number(part));
  });
}
