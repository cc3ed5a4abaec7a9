/** Pure text functions of the hex input: digits as stored (MSB first, no spaces), pairs as displayed. */

/** The byte order on screen; the stored and sent value is always MSB. */
export type ByteOrder = 'MSB' | 'LSB';

/** The hex digits of a text with their case; all other characters are removed. */
export function hexDigits(text: string): string {
  return text.replace(/[^0-9a-f]/gi, '');
}

/** `0123ab` as `01 23 ab`. A single last digit has no partner. */
export function spacedPairs(digits: string): string {
  return digits.replace(/..(?=.)/g, '$& ');
}

/** Reverses whole bytes; a single last digit stays last, so that reversing twice gives the same text at any length. */
export function reverseBytes(digits: string): string {
  const whole = digits.length - (digits.length % 2);
  const pairs = digits.slice(0, whole).match(/../g) ?? [];
  return pairs.reverse().join('') + digits.slice(whole);
}

/** Converts between stored and displayed digits: the same operation in both directions. */
export function inOrder(digits: string, order: ByteOrder): string {
  return order === 'LSB' ? reverseBytes(digits) : digits;
}

/** A complete value for the clipboard: `0123AB`, or `0x01, 0x23, 0xab`. */
export function copyFormats(digits: string): { string: string; array: string } {
  const pairs = digits.match(/../g) ?? [];
  return { string: digits.toUpperCase(), array: pairs.map((pair) => `0x${pair.toLowerCase()}`).join(', ') };
}

/** The error of a value as a sentence for the field, or null. An empty value is an error only when required. */
export function hexProblem(digits: string, bytes: number, required = false): string | null {
  if (digits === '') return required ? `Enter ${bytes} bytes (${bytes * 2} hexadecimal digits).` : null;
  if (digits.length === bytes * 2) return null;
  return `This takes ${bytes} bytes (${bytes * 2} hexadecimal digits); ${digits.length} entered.`;
}

/** `bytes` random bytes as lower-case hex, from the browser's cryptographic source. */
export function randomHex(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(values, (value) => value.toString(16).padStart(2, '0')).join('');
}

export interface Edit {
  /** Displayed digits, no spaces. */
  readonly digits: string;
  /** How many digits are left of the caret. */
  readonly caret: number;
}

/**
 * Applies one keystroke. `before` are the digits displayed until now, `text` and `position` the raw input afterwards.
 * Characters that are not hexadecimal are removed, as is the 0 of a `0x` prefix that scanners type before a byte.
 * Deleting a separator deletes the digit behind it; a full field is overtyped instead of dropping its last digit.
 */
export function typed(before: string, text: string, position: number, bytes: number, deleting: DeleteKind): Edit {
  const digits = hexDigits(withoutMark(text));
  const caret = hexDigits(withoutMark(text.slice(0, position))).length;
  if (digits === before && deleting === 'backward' && caret > 0) {
    return { digits: before.slice(0, caret - 1) + before.slice(caret), caret: caret - 1 };
  }
  if (digits === before && deleting === 'forward') {
    return { digits: before.slice(0, caret) + before.slice(caret + 1), caret };
  }
  const room = bytes * 2;
  const surplus = digits.length - room;
  if (surplus <= 0) return { digits, caret };
  const overtyped = digits.slice(0, caret) + digits.slice(caret + surplus);
  return { digits: overtyped.slice(0, room), caret: Math.min(caret, room) };
}

const withoutMark = (text: string) => text.replace(/(?<=^|\s)0x/gi, '');

/** Replaces the digits `from`..`to` (counted in digits) with a text. */
export interface Arrival {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Detects text that arrived in one piece (dropped, auto-filled or scanned) from the displayed text and the raw input
 * afterwards, whose caret is behind it. Returns null for a keystroke. Text that was before it counts as part of it.
 */
export function arrivedAtOnce(before: string, after: string, position: number): Arrival | null {
  const tail = after.slice(position);
  const end = before.endsWith(tail) ? before.length - tail.length : before.length;
  let same = 0;
  while (same < Math.min(end, position) && before[same] === after[same]) same += 1;
  if (position - same <= 1) return null;
  return { text: after.slice(0, position), from: 0, to: hexDigits(before.slice(0, end)).length };
}

export type DeleteKind = 'backward' | 'forward' | 'none';

export type Paste = { readonly ok: true; readonly edit: Edit } | { readonly ok: false; readonly problem: string };

/**
 * Applies a pasted text, with or without spaces, colons and `0x`. A text that fills the whole field replaces
 * everything. Text that is not hexadecimal, or too long, is refused and nothing changes.
 */
export function pasted(before: string, { text, from, to }: Arrival, bytes: number): Paste {
  const bare = text.replace(/0x/gi, '');
  const digits = hexDigits(bare);
  const strange = bare.replace(/[0-9a-f\s:,;.\-_{}[\]()]/gi, '');
  if (strange !== '' || digits === '') return { ok: false, problem: 'The pasted text is not hexadecimal.' };
  const room = bytes * 2;
  if (digits.length === room) return { ok: true, edit: { digits, caret: room } };
  const merged = before.slice(0, from) + digits + before.slice(to);
  if (merged.length <= room) return { ok: true, edit: { digits: merged, caret: from + digits.length } };
  return { ok: false, problem: `The pasted text has ${digits.length} digits; this takes ${room}.` };
}

/** The caret position in the spaced text when `count` digits are left of it. */
export function caretPosition(count: number, length: number): number {
  if (count === 0) return 0;
  const spaces = Math.floor((count - 1) / 2);
  const atPairEnd = count % 2 === 0 && count < length;
  return count + spaces + (atPairEnd ? 1 : 0);
}
