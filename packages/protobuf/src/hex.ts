/**
 * The bytes of hexadecimal text, two digits each; throws SyntaxError for any other text. `Uint8Array.fromHex` allocates
 * separate memory for each, which takes three times as long for the few bytes of an identifier.
 */
export function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length >>> 1);
  bytes.setFromHex(hex);
  return bytes;
}

const mostShared = 20_000;
const shared = new Map<string, Uint8Array<ArrayBuffer>>();

/**
 * The bytes of an identifier that many messages in memory have. Equal text may give the same array, which must not be
 * changed: an array of eight bytes takes 240.
 */
export function sharedBytesOf(hex: string): Uint8Array<ArrayBuffer> {
  let bytes = shared.get(hex);
  if (!bytes) {
    if (shared.size >= mostShared) shared.clear();
    bytes = bytesOf(hex);
    shared.set(hex, bytes);
  }
  return bytes;
}
