/** Identifiers are base64 in events; the console shows them as hex, uplink ids as UUID. */

/** Base64 as lower-case hex; a text that is not base64 is returned unchanged. */
export function base64ToHex(text: string): string {
  try {
    return Array.from(atob(text), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  } catch {
    return text;
  }
}

/** Sixteen bytes of base64 as `00010203-0405-0607-0809-0a0b0c0d0e0f`. */
export function base64ToUUID(text: string): string {
  const hex = base64ToHex(text);
  return hex.length === 32 ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : hex;
}

/** A reception with readable identifiers, all other members unchanged. */
export function readableRxInfo<
  R extends { gatewayID?: string | null | undefined; uplinkID?: string | null | undefined },
>(rx: R): R {
  return {
    ...rx,
    ...(rx.gatewayID ? { gatewayID: base64ToHex(rx.gatewayID) } : {}),
    ...(rx.uplinkID ? { uplinkID: base64ToUUID(rx.uplinkID) } : {}),
  };
}

/** Parsed JSON, or the text itself when it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
