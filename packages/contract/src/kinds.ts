import { isCalendarDay } from '@hilltop/protobuf/calendar-day';
import { formatDuration, parseDuration } from './duration.ts';

/** One kind of value on the wire: how it is read, its value when absent, and its description in Swagger 2.0. */
interface KindOf<T> {
  /** Reads JSON, or text when it comes from a path or query. Undefined when the value is not of this kind. */
  readonly read: (value: unknown, isText: boolean) => T | undefined;
  readonly empty: T;
  /** Completes "must be ..." in an error sentence. */
  readonly expects: string;
  readonly swagger: { readonly type: string; readonly format?: string };
  /** The range of the numbers, where the kind itself has one. */
  readonly range?: readonly [number, number];
}

function kind<T>(value: KindOf<T>): KindOf<T> {
  return value;
}

function integerFrom(value: unknown, isText: boolean): number | bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > 20) return undefined;
  if (isText && /^0x[0-9a-f]{1,16}$/i.test(value)) return BigInt(value);
  if (!/^-?\d+$/.test(value)) return undefined;
  return value.length < 16 ? Number(value) : BigInt(value);
}

/** An integer of at most 32 bits: a number in JSON and in our code. */
function smallInteger(min: number, max: number, format: string): KindOf<number> {
  return {
    read(value, isText) {
      const integer = integerFrom(value, isText);
      return integer !== undefined && integer >= min && integer <= max ? Number(integer) : undefined;
    },
    empty: 0,
    expects: `a whole number from ${min} to ${max}`,
    swagger: { type: 'integer', format },
    range: [min, max],
  };
}

/** A 64-bit integer: decimal text on both sides, since JavaScript numbers cannot hold it. */
function largeInteger(min: bigint, max: bigint, format: string): KindOf<string> {
  return {
    read(value, isText) {
      const integer = integerFrom(value, isText);
      return integer !== undefined && integer >= min && integer <= max ? String(integer) : undefined;
    },
    empty: '0',
    expects: `a whole number from ${min} to ${max}`,
    swagger: { type: 'string', format },
  };
}

function real(format: string): KindOf<number> {
  return {
    read(value) {
      const number = typeof value === 'string' && /^-?[\d.]+(e[+-]?\d+)?$/i.test(value) ? Number(value) : value;
      return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
    },
    empty: 0,
    expects: 'a number',
    swagger: { type: 'number', format },
  };
}

/** Hexadecimal text of a fixed number of bytes, lower case, most significant byte first; an `0x` prefix is dropped. */
function hex(bytes: number): KindOf<string> {
  const digits = new RegExp(`^[0-9a-f]{${bytes * 2}}$`);
  return {
    read(value) {
      if (typeof value !== 'string' || value.length > bytes * 2 + 2) return undefined;
      const text = value.toLowerCase();
      const bare = text.startsWith('0x') ? text.slice(2) : text;
      return bare === '' || digits.test(bare) ? bare : undefined;
    },
    empty: '',
    expects: `${bytes * 2} hexadecimal digits`,
    swagger: { type: 'string' },
  };
}

const rfc3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

function readTimestamp(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [, date = '', fraction = '', zone] = rfc3339.exec(value) ?? [];
  const time = new Date(value);
  if (!isCalendarDay(date) || Number.isNaN(time.getTime()) || date.startsWith('0000')) return undefined;
  return zone === 'Z' ? value : time.toISOString().replace(/\.\d+Z$/, `${fraction}Z`);
}

function readBytes(value: unknown): string | null | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return value === '' ? null : Uint8Array.fromBase64(value, { lastChunkHandling: 'strict' }).toBase64();
  } catch {
    return undefined;
  }
}

const truths: Readonly<Record<string, boolean>> = { true: true, false: false, '1': true, '0': false };
const uuid = /^([0-9a-f]{8})(-?)([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{12})$/;

/** Also accepts UUIDs without dashes, in braces and as `urn:uuid:`, like version 3. */
function readUUID(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 47) return undefined;
  const bare = value
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replace(/^\{(.*)\}$/, '$1');
  const [whole, first, , ...rest] = uuid.exec(bare) ?? [];
  return whole === undefined ? undefined : [first, ...rest].join('-');
}

const largeCount = largeInteger(0n, 2n ** 63n - 1n, 'int64');

/** Every scalar kind of the API. Enumerations, messages, lists and maps are built from these in `wire.ts`. */
export const kinds = {
  text: kind<string>({
    read: (value) => (typeof value === 'string' && !value.includes('\0') ? value.toWellFormed() : undefined),
    empty: '',
    expects: 'text without the character U+0000',
    swagger: { type: 'string' },
  }),
  bool: kind<boolean>({
    read: (value, isText) =>
      isText && typeof value === 'string' ? truths[value] : typeof value === 'boolean' ? value : undefined,
    empty: false,
    expects: 'true or false',
    swagger: { type: 'boolean' },
  }),
  int32: smallInteger(-2147483648, 2147483647, 'int32'),
  uint32: smallInteger(0, 4294967295, 'int64'),
  int64: largeInteger(-(2n ** 63n), 2n ** 63n - 1n, 'int64'),
  uint64: largeInteger(0n, 2n ** 64n - 1n, 'uint64'),
  /** A 64-bit integer as a number in our code: exact up to 2^53. */
  count: kind<number>({
    ...largeCount,
    read(value, isText) {
      const integer = largeCount.read(value, isText);
      return integer === undefined ? undefined : Math.min(Number(integer), Number.MAX_SAFE_INTEGER);
    },
    empty: 0,
  }),
  float: real('float'),
  double: real('double'),
  bytes: kind<string | null>({
    read: readBytes,
    empty: null,
    expects: 'base64 text with padding',
    swagger: { type: 'string', format: 'byte' },
  }),
  timestamp: kind<string | null>({
    read: readTimestamp,
    empty: null,
    expects: 'a time such as 2026-11-21T10:15:30Z',
    swagger: { type: 'string', format: 'date-time' },
  }),
  duration: kind<string | null>({
    read(value) {
      const milliseconds = typeof value === 'string' ? parseDuration(value) : null;
      return milliseconds === null ? undefined : formatDuration(milliseconds);
    },
    empty: null,
    expects: 'a duration with its unit, such as 30s',
    swagger: { type: 'string' },
  }),
  eui64: hex(8),
  devAddr: hex(4),
  aes128Key: hex(16),
  uuid: kind<string>({
    read: (value) => (value === '' ? '' : readUUID(value)),
    empty: '',
    expects: 'a UUID such as 3d1f7c52-5f0e-4c53-9d2a-6a4d0a6a7c11',
    swagger: { type: 'string' },
  }),
} as const;

export type Kind = keyof typeof kinds;
/** The type of a scalar kind in our code. */
export type KindValue<K extends Kind> = (typeof kinds)[K]['empty'];
