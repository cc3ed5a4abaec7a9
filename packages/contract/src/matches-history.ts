/** The conditions of a history request. Empty ones accept every event. */
export interface HistoryFilter {
  readonly kinds?: readonly string[];
  readonly fPorts?: readonly number[];
  /** Hexadecimal. */
  readonly gatewayID?: string;
  readonly text?: string;
  /** ISO 8601. */
  readonly start?: string | null;
  readonly end?: string | null;
}

/** An event as the history returns it. */
export interface FilteredEvent {
  readonly streamID: string;
  readonly kind: string;
  readonly payloadJSON: string;
  readonly noteJSON: string;
}

/** The members of payloads by which events are filtered. Identifiers and bytes are base64. */
interface FilteredPayload {
  readonly fPort?: number;
  readonly data?: string;
  readonly devEUI?: string;
  readonly devAddr?: string;
  readonly gatewayID?: string;
  readonly rxInfo?: readonly { readonly gatewayID?: string; readonly uplinkID?: string }[];
  readonly uplinkIDs?: readonly string[];
}

/** Milliseconds since 1970 in a stream id. */
export const timeOfStreamID = (streamID: string): number => Number(streamID.slice(0, streamID.indexOf('-')));

/**
 * Whether events match a filter: build the function once, and call it for each event. The server filters the history
 * with it, the console the live events.
 */
export function matchesHistory(filter: HistoryFilter): (event: FilteredEvent) => boolean {
  const { gatewayID = '', text = '' } = filter;
  const kinds = new Set(filter.kinds);
  const fPorts = new Set(filter.fPorts);
  const from = filter.start ? Date.parse(filter.start) : Number.NEGATIVE_INFINITY;
  const to = filter.end ? Date.parse(filter.end) : Number.POSITIVE_INFINITY;
  const gateway = gatewayID === '' ? '' : base64OfHex(gatewayID.toLowerCase());
  const needsPayload = fPorts.size > 0 || gateway !== '';
  const needle = text.toLowerCase();
  // Identifiers are shown in hexadecimal, those of uplinks as a UUID.
  const digits = needle.replaceAll('-', '');
  const isHex = digits.length > 1 && /^[0-9a-f]+$/.test(digits);

  const hasHex = (payload: FilteredPayload) =>
    (digits.length % 2 === 0 && digits === needle && hasBytes(payload.data ?? '', digits)) ||
    identifiersOf(payload).some((identifier) => hexOf(identifier).includes(digits));
  const hasText = ({ payloadJSON, noteJSON }: FilteredEvent) =>
    payloadJSON.toLowerCase().includes(needle) ||
    noteJSON.toLowerCase().includes(needle) ||
    (isHex && hasHex(parsed(payloadJSON)));

  return (event) => {
    if (kinds.size > 0 && !kinds.has(event.kind)) return false;
    const at = timeOfStreamID(event.streamID);
    if (at < from || at > to) return false;
    if (needsPayload) {
      const { fPort, gatewayID: sentBy, rxInfo = [] } = parsed(event.payloadJSON);
      if (fPorts.size > 0 && (fPort === undefined || !fPorts.has(fPort))) return false;
      if (gateway !== '' && sentBy !== gateway && !rxInfo.some((one) => one.gatewayID === gateway)) return false;
    }
    return needle === '' || hasText(event);
  };
}

function parsed(payloadJSON: string): FilteredPayload {
  return JSON.parse(payloadJSON) as FilteredPayload;
}

function identifiersOf({ devEUI, devAddr, gatewayID, rxInfo = [], uplinkIDs = [] }: FilteredPayload): string[] {
  const received = rxInfo.flatMap((one) => [one.gatewayID, one.uplinkID]);
  return [devEUI, devAddr, gatewayID, ...received, ...uplinkIDs].filter((one) => one !== undefined);
}

/** Bytes in base64 as hexadecimal digits. */
export const hexOf = (base64: string): string =>
  Array.from(atob(base64), (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('');

/** Whether bytes in base64 contain those bytes in hexadecimal. */
function hasBytes(base64: string, hex: string): boolean {
  const all = hexOf(base64);
  for (let at = all.indexOf(hex); at >= 0; at = all.indexOf(hex, at + 1)) if (at % 2 === 0) return true;
  return false;
}

function base64OfHex(hex: string): string {
  return btoa((hex.match(/../g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).join(''));
}
