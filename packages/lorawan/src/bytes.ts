import { FrameError } from './errors.ts';

/** Little-endian reading and writing: every number and identifier is transmitted least significant byte first. */

/** Reads `length` bytes at `at` as an identifier: lower-case hex, most significant byte first. */
export function readIdentifier(bytes: Uint8Array, at: number, length: number): string {
  let text = '';
  for (let index = at + length - 1; index >= at; index--) text += hexOfByte[bytes[index]!];
  return text;
}

/** Writes the hex identifier, reversed. Throws FrameError unless it has exactly `length` bytes. */
export function writeIdentifier(bytes: Uint8Array, at: number, field: string, value: string, length: number): void {
  let isHex = value.length === length * 2;
  for (let index = 0; isHex && index < length; index++) {
    const byte = (nibbleOf(value, index * 2) << 4) | nibbleOf(value, index * 2 + 1);
    bytes[at + length - 1 - index] = byte;
    isHex = byte >= 0;
  }
  if (!isHex) throw new FrameError(field, at, `expected ${length} bytes as hex text, got "${value}"`);
}

/** Reads an unsigned little-endian number of 1 to 6 bytes. */
export function readUint(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let index = at + length - 1; index >= at; index--) value = value * 256 + bytes[index]!;
  return value;
}

/** Writes an unsigned little-endian number. Throws FrameError when it is not a whole number or does not fit. */
export function writeUint(bytes: Uint8Array, at: number, field: string, value: number, length: number): void {
  if (!Number.isInteger(value) || value < 0 || value >= 256 ** length) {
    throw new FrameError(field, at, `${value} does not fit in ${length} bytes`);
  }
  let rest = value;
  for (let index = at; index < at + length; index++) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

/** Whether two byte strings are equal, in a time that does not depend on where they differ. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index++) difference |= left[index]! ^ right[index]!;
  return difference === 0;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const hexOfByte = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'));

const nibbleOfCode = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

/** Value of one hex digit, -1 for any other character. */
function nibbleOf(text: string, at: number): number {
  return nibbleOfCode[text.charCodeAt(at)] ?? -1;
}
