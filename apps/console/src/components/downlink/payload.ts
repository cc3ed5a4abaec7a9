/** How the bytes of a payload are written. */
export type PayloadFormat = 'hex' | 'base64';

const hexText = /^(?:0x)?(?:[0-9a-f]{2}[\s:,-]?)*$/i;
const base64Text = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whole bytes in hexadecimal, with or without separators. */
export const isHex = (text: string): boolean => text.trim() !== '' && hexText.test(text.trim());

/** The problem of a base64 payload, or null. */
export function base64Problem(data: string): string | null {
  const isBase64 = base64Text.test(data.trim());
  return isBase64 ? null : 'Enter valid base64: four characters for three bytes, padded with =.';
}

/** The problem of a hexadecimal payload, or null. */
export function hexProblem(data: string): string | null {
  return data.trim() === '' || isHex(data) ? null : 'Enter valid hexadecimal: two digits for each byte.';
}

/** The bytes of a text, or null when it is not in this format. */
export function toBytes(format: PayloadFormat, text: string): Uint8Array | null {
  if (format === 'base64') return base64Problem(text) ? null : Uint8Array.fromBase64(text.trim());
  if (hexProblem(text)) return null;
  return Uint8Array.fromHex(
    text
      .trim()
      .replace(/^0x/i, '')
      .replace(/[\s:,-]/g, ''),
  );
}

export const fromBytes = (format: PayloadFormat, bytes: Uint8Array): string =>
  format === 'base64' ? bytes.toBase64() : bytes.toHex();

const mostShownBytes = 16;

/** The longest payload that can be sent, and the data-rate that limits it. */
export interface PayloadRoom {
  mostBytes: number;
  dr: number;
}

/** "3 bytes: 01 02 03", or "3 of at most 51 bytes at DR0: 01 02 03"; long payloads are cut. */
export function describeBytes(bytes: Uint8Array, most = mostShownBytes, room?: PayloadRoom): string {
  const plain = bytes.length === 1 ? '1 byte' : `${bytes.length} bytes`;
  const count = room ? `${bytes.length} of at most ${room.mostBytes} bytes at DR${room.dr}` : plain;
  if (bytes.length === 0) return count;
  const shown = bytes
    .subarray(0, most)
    .toHex()
    .replace(/..(?=.)/g, '$& ');
  return `${count}: ${shown}${bytes.length > most ? ' …' : ''}`;
}
