import { readUint, writeUint } from '../bytes.ts';
import { FrameError } from '../errors.ts';
import { readFrequency, writeFrequency } from '../frequency.ts';

/** Declarations of MAC command payloads: each field names its byte and its bits. */

/** One field of a payload. `json` converts its value for frame logs if that form differs. */
export interface Field<T> {
  read(payload: Uint8Array): T;
  write(payload: Uint8Array, name: string, value: T): void;
  json?(value: T): unknown;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type ValuesOf<F extends Fields> = { -readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** A payload of a fixed number of bytes. Bits without a field are reserved: written as zero and ignored when read. */
export interface Layout<F extends Fields> {
  size: number;
  fields: F;
}

export function layout<F extends Fields>(size: number, fields: F): Layout<F> {
  return { size, fields };
}

/** Unsigned number in bits `high` to `low` of one byte, or of the 16-bit number that starts there. */
export function bits(byte: number, high: number, low: number): Field<number> {
  const length = high > 7 ? 2 : 1;
  const most = 2 ** (high - low + 1) - 1;
  return {
    read: (payload) => (readUint(payload, byte, length) >>> low) & most,
    write: (payload, name, value) => {
      if (!Number.isInteger(value) || value < 0 || value > most) {
        throw new FrameError(name, byte, `${value} is not from 0 to ${most}`);
      }
      writeUint(payload, byte, name, readUint(payload, byte, length) | (value << low), length);
    },
  };
}

/** Two's complement number in bits `high` to 0 of one byte. */
export function signedBits(byte: number, high: number): Field<number> {
  const range = 2 ** (high + 1);
  const unsigned = bits(byte, high, 0);
  return {
    read: (payload) => {
      const value = unsigned.read(payload);
      return value >= range / 2 ? value - range : value;
    },
    write: (payload, name, value) => {
      if (value < -range / 2 || value >= range / 2) {
        throw new FrameError(name, byte, `${value} is not from ${-range / 2} to ${range / 2 - 1}`);
      }
      unsigned.write(payload, name, value < 0 ? value + range : value);
    },
  };
}

export function flag(byte: number, bit: number): Field<boolean> {
  const number = bits(byte, bit, bit);
  return {
    read: (payload) => number.read(payload) === 1,
    write: (payload, name, value) => number.write(payload, name, value ? 1 : 0),
  };
}

/** Unsigned little-endian number of whole bytes. */
export function uint(byte: number, length: number): Field<number> {
  return {
    read: (payload) => readUint(payload, byte, length),
    write: (payload, name, value) => writeUint(payload, byte, name, value, length),
  };
}

/** Frequency in Hz, three bytes. */
export function frequency(byte: number): Field<number> {
  return {
    read: (payload) => readFrequency(payload, byte),
    write: (payload, name, value) => writeFrequency(payload, byte, name, value),
  };
}

/** Sixteen booleans in two bytes, channel 0 in the lowest bit. */
export function mask16(byte: number): Field<boolean[]> {
  return {
    read: (payload) => Array.from({ length: 16 }, (_, bit) => ((readUint(payload, byte, 2) >>> bit) & 1) === 1),
    write: (payload, name, value) => {
      if (value.length > 16) throw new FrameError(name, byte, `a mask has 16 channels, got ${value.length}`);
      writeUint(
        payload,
        byte,
        name,
        value.reduce((sum, isOn, bit) => sum | (isOn ? 1 << bit : 0), 0),
        2,
      );
    },
  };
}

/** Fields that are grouped under one name. */
export function group<F extends Fields>(fields: F): Field<ValuesOf<F>> {
  return {
    read: (payload) => readFields(fields, payload),
    write: (payload, _name, value) => writeFields(fields, payload, value),
    json: (value) => fieldsToJson(fields, value),
  };
}

/** The same field with another form in frame logs. */
export function shownAs<T>(field: Field<T>, json: (value: T) => unknown): Field<T> {
  return { ...field, json };
}

export function readFields<F extends Fields>(fields: F, payload: Uint8Array): ValuesOf<F> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.read(payload)])) as ValuesOf<F>;
}

/** Adds the values to a payload of zeros. Throws FrameError when one is missing or does not fit. */
export function writeFields<F extends Fields>(fields: F, payload: Uint8Array, values: ValuesOf<F>): void {
  for (const [name, field] of Object.entries(fields)) {
    const value = (values as Record<string, unknown>)[name];
    if (value === undefined) throw new FrameError(name, 0, 'the value is missing');
    field.write(payload, name, value);
  }
}

export function fieldsToJson(fields: Fields, values: object): Record<string, unknown> {
  const given = values as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.json ? field.json(given[name]) : given[name]]),
  );
}
