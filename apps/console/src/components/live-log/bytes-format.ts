export const bytesFormats = { hex: 'Hex', base64: 'Base64', ascii: 'ASCII' } as const;
export type BytesFormat = keyof typeof bytesFormats;

/** Bytes in base64 as text. In ASCII, a dot stands for each byte that is not printable. */
export function formatBytes(base64: string, format: BytesFormat): string {
  if (format === 'base64') return base64;
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.fromBase64(base64);
  } catch {
    return base64;
  }
  if (format === 'hex') return bytes.toHex();
  return Array.from(bytes, (byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
}
