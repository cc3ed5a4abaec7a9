/**
 * Reads fields of untrusted JSON. Every reader returns a checked value or throws `PacketError`, except those named
 * `IfValid`.
 */
import { PacketError } from './packet-error.ts';
import { isLevel } from './radio.ts';

export type Members = Readonly<Record<string, unknown>>;

export class JsonFields {
  readonly #members: Members;
  readonly #path: string;

  /** @param path the name of the object in errors: `rxpk[0]`. */
  constructor(json: unknown, path: string) {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      throw new PacketError('field', `${path} must be an object`, path);
    }
    this.#members = json as Members;
    this.#path = path;
  }

  /** The value of an own property; null counts as absent. */
  #own(name: string): unknown {
    const value = Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
    return value === null ? undefined : value;
  }

  #refuse(name: string, wanted: string): never {
    const field = `${this.#path}.${name}`;
    throw new PacketError('field', `${field} must be ${wanted}`, field);
  }

  value(name: string): unknown {
    return this.#own(name);
  }

  has(name: string): boolean {
    return this.#own(name) !== undefined;
  }

  /**
   * A finite number, also as text. `fallback` applies when the field is absent; without a fallback the field is
   * required.
   */
  number(name: string, fallback?: number): number {
    const value = unquoted(this.#own(name) ?? fallback);
    if (typeof value !== 'number' || !Number.isFinite(value)) this.#refuse(name, 'a number');
    return value;
  }

  /** dBm or dB. */
  level(name: string, fallback?: number): number {
    const value = this.number(name, fallback);
    if (!isLevel(value)) this.#refuse(name, 'what a radio can measure');
    return value;
  }

  /** A number in a range, with or without a fraction. */
  within(name: string, range: { min: number; max: number }, fallback?: number): number {
    const value = this.number(name, fallback);
    if (value < range.min || value > range.max) this.#refuse(name, `a number from ${range.min} to ${range.max}`);
    return value;
  }

  /** A number in a range; null when the field is absent or invalid. For informational fields. */
  numberIfValid(name: string, { min, max }: { min: number; max: number }): number | null {
    const value = unquoted(this.#own(name));
    return typeof value === 'number' && value >= min && value <= max ? value : null;
  }

  /** Like `numberIfValid`, for a whole number. */
  integerIfValid(name: string, range: { min: number; max: number }): number | null {
    const value = this.numberIfValid(name, range);
    return Number.isSafeInteger(value) ? value : null;
  }

  /** A whole number in a range. */
  integer(name: string, range: { min: number; max: number }, fallback?: number): number {
    const value = unquoted(this.#own(name) ?? fallback);
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < range.min || value > range.max) {
      this.#refuse(name, `a whole number from ${range.min} to ${range.max}`);
    }
    return value + 0;
  }

  /** A signed whole number of 64 bits; beyond 2^53 JSON must have it as text. */
  int64(name: string, fallback?: bigint): bigint {
    const value = this.#own(name) ?? fallback;
    const isWhole = typeof value === 'string' ? /^-?\d{1,19}$/.test(value) : Number.isSafeInteger(value);
    if (typeof value !== 'bigint' && !isWhole) this.#refuse(name, 'a whole number of 64 bits');
    const number = BigInt(value as bigint | number | string);
    if (BigInt.asIntN(64, number) !== number) this.#refuse(name, 'a whole number of 64 bits');
    return number;
  }

  /** Hexadecimal digits, two for each byte. */
  hex(name: string, fallback?: string): Uint8Array {
    try {
      return Uint8Array.fromHex(this.text(name, fallback));
    } catch {
      return this.#refuse(name, 'hexadecimal');
    }
  }

  text(name: string, fallback?: string): string {
    const value = this.#own(name) ?? fallback;
    if (typeof value !== 'string') this.#refuse(name, 'text');
    return value;
  }

  boolean(name: string, fallback: boolean): boolean {
    const value = this.#own(name) ?? fallback;
    if (typeof value !== 'boolean') this.#refuse(name, 'true or false');
    return value;
  }

  /** Base64, with or without padding. */
  bytes(name: string): Uint8Array {
    try {
      return Uint8Array.fromBase64(this.text(name));
    } catch {
      return this.#refuse(name, 'base64');
    }
  }

  list(name: string): unknown[] {
    const value = this.#own(name) ?? [];
    if (!Array.isArray(value)) this.#refuse(name, 'a list');
    return value as unknown[];
  }

  /** The text fields of an object, without the others. */
  texts(name: string): Record<string, string> {
    const value = this.#own(name) ?? {};
    if (typeof value !== 'object') this.#refuse(name, 'an object');
    const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return Object.fromEntries(entries);
  }

  object(name: string): JsonFields {
    return new JsonFields(this.#own(name), `${this.#path}.${name}`);
  }
}

const decimal = /^[+-]?\d{1,20}(\.\d{1,20})?$/;

/** Reads numbers that some forwarders write in quotes. */
function unquoted(value: unknown): unknown {
  return typeof value === 'string' && decimal.test(value) ? Number(value) : value;
}

export const uint32 = { min: 0, max: 2 ** 32 - 1 };
export const uint8 = { min: 0, max: 255 };
export const int32 = { min: -(2 ** 31), max: 2 ** 31 - 1 };

/** Rounds a strength to whole dBm, within 32 bits. */
export function decibels(given: number): number {
  return Math.round(Math.max(int32.min, Math.min(int32.max, given)));
}
