import type { SourceRow } from './postgres.ts';

/** Reads columns of a row of version 3 and checks them. Throws BrokenRow for a wrong value: the row is not imported. */
export class BrokenRow extends Error {
  override readonly name = 'BrokenRow';
}

const broken = (column: string, kind: string): never => {
  throw new BrokenRow(`${column} is not ${kind}: correct the row in version 3, or import without it`);
};

export function text(row: SourceRow, column: string): string {
  const value = row[column] ?? '';
  return typeof value === 'string' ? value : broken(column, 'a text');
}

export function number(row: SourceRow, column: string): number {
  const value = row[column] ?? 0;
  return typeof value === 'number' && Number.isFinite(value) ? value : broken(column, 'a number');
}

/** The range of a column with four bytes. */
const fourBytes: Range = [-(2 ** 31), 2 ** 31 - 1];
export const counterRange: Range = [0, 2 ** 32 - 1];

/** Both limits are included. */
type Range = readonly [least: number, most: number];

/** A whole number: columns of eight bytes hold more than a JavaScript number can. */
export function whole(row: SourceRow, column: string, [least, most] = fourBytes): number {
  const value = number(row, column);
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  return broken(column, `a whole number from ${least} to ${most}`);
}

/** The id of the row itself. */
export const ownID = (row: SourceRow): number => whole(row, 'id', [1, Number.MAX_SAFE_INTEGER]);

export function optionalNumber(row: SourceRow, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : number(row, column);
}

export const flag = (row: SourceRow, column: string): boolean => row[column] === true;

export function date(row: SourceRow, column: string): Date {
  const value = row[column];
  return value instanceof Date && Number.isFinite(value.getTime()) ? value : broken(column, 'a time');
}

export function optionalDate(row: SourceRow, column: string): Date | null {
  return row[column] === null || row[column] === undefined ? null : date(row, column);
}

/** Bytes of this length; empty when the column is null. */
export function bytes(row: SourceRow, column: string, length: number): Uint8Array {
  const value = row[column] ?? new Uint8Array();
  if (!(value instanceof Uint8Array)) return broken(column, 'bytes');
  if (value.length !== length && value.length !== 0) return broken(column, `${length} bytes long`);
  return new Uint8Array(value);
}

/** Required bytes, as hex. */
export function hex(row: SourceRow, column: string, length: number): string {
  const value = bytes(row, column, length);
  return value.length === length ? value.toHex() : broken(column, `${length} bytes long`);
}

/** Network servers write UUIDs as 32 digits. */
export const plainUUID = (uuid: string): string => uuid.replaceAll('-', '');

/** hstore as JSON text; a name without a value gets an empty value. */
export function tags(row: SourceRow, column: string): Record<string, string> {
  const given = text(row, column);
  if (given === '') return {};
  const entries = Object.entries(JSON.parse(given) as Record<string, string | null>);
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
}

export const times = (row: SourceRow) => ({ created_at: date(row, 'created_at'), updated_at: date(row, 'updated_at') });

/** Times for records of network servers. */
export const recordTimes = (row: SourceRow) => ({
  createdAt: date(row, 'created_at').getTime(),
  updatedAt: date(row, 'updated_at').getTime(),
});

export const isZero = (value: Uint8Array): boolean => value.every((byte) => byte === 0);
