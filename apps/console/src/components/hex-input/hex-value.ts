/** Text arithmetic behind the hex input: digits as stored (MSB first, no spaces), pairs as shown. Pure. */

/** Order in which the bytes are read on screen; what is stored and sent is always MSB. */
export type ByteOrder = 'MSB' | 'LSB';

/** The hex digits of a text, case kept; everything else vanishes. */
export function hexDigits(text: string): string {
  return text.replace(/[^0-9a-f]/gi, '');
}

/** `0123ab` as `01 23 ab`. A lone last digit stays alone. */
export function spacedPairs(digits: string): string {
  return digits.replace(/..(?=.)/g, '$& ');
}

/** Reverses whole bytes; a lone last digit stays last, so that reversing twice gives the same text at any length. */
export function reverseBytes(digits: string): string {
  const whole = digits.length - (digits.length % 2);
  const pairs = digits.slice(0, whole).match(/../g) ?? [];
  return pairs.reverse().join('') + digits.slice(whole);
}

/** Stored digits as they read in an order, and back: the same step in both directions. */
export function inOrder(digits: string, order: ByteOrder): string {
  return order === 'LSB' ? reverseBytes(digits) : digits;
}

/** A whole value for the clipboard: `0123AB`, or `0x01, 0x23, 0xab`. */
export function copyFormats(digits: string): { string: string; array: string } {
  const pairs = digits.match(/../g) ?? [];
  return { string: digits.toUpperCase(), array: pairs.map((pair) => `0x${pair.toLowerCase()}`).join(', ') };
}

/** What is wrong with a value, as a sentence for the field, or null. An empty value is wrong only when required. */
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
  /** Digits as shown, no spaces. */
  readonly digits: string;
  /** How many digits stand left of the caret. */
  readonly caret: number;
}

/**
 * What one keystroke made of the field. `before` are the digits shown until now, `text` and `position` the raw input
 * afterwards. Strangers to hexadecimal vanish, and so does the 0 of a `0x` with which a byte begins, as scanners type it;
 * deleting a separator deletes the digit behind it; a full field is overtyped instead of pushing its last digit out.
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

/** A text that takes the place of the digits `from`..`to` (counted in digits). */
export interface Arrival {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/**
 * What came into the field in one piece, as it comes when it is dropped, filled in or scanned: from what was shown and the
 * raw input afterwards, whose caret stands behind it. Null for a keystroke. What stood before it counts as part of it.
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
 * A pasted text, with or without spaces, colons and `0x`. One that fills the whole field by itself replaces everything.
 * Text that is not hexadecimal, or too long, is refused and nothing changes.
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

/** Where the caret stands in the spaced text when `count` digits are left of it. */
export function caretPosition(count: number, length: number): number {
  if (count === 0) return 0;
  const spaces = Math.floor((count - 1) / 2);
  const atPairEnd = count % 2 === 0 && count < length;
  return count + spaces + (atPairEnd ? 1 : 0);
}
