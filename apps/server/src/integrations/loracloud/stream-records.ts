/** A scan that arrived in a data stream of a modem, as it is sent to be located. */
export interface Scan {
  readonly msgtype: 'gnss' | 'wifi';
  /** Hexadecimal. */
  readonly payload: string;
}

/** What the tags of records hold; the marker 01 begins scans of access points. */
const scanOf: Readonly<Record<number, (value: string) => Scan>> = {
  0x06: (payload) => ({ msgtype: 'gnss', payload }),
  0x07: (payload) => ({ msgtype: 'gnss', payload }),
  0x08: (payload) => ({ msgtype: 'wifi', payload: `01${payload}` }),
  0x0e: (payload) => ({ msgtype: 'wifi', payload: `01${payload.slice(10)}` }),
};

/** The scans in `[[offset, hex], …]`: each text is a row of tag, length and value, the first two one byte each. */
export function scansIn(records: unknown): Scan[] {
  if (!Array.isArray(records)) return [];
  return records.flatMap((record) => {
    const text: unknown = Array.isArray(record) ? record[1] : undefined;
    return typeof text === 'string' && /^([0-9a-f]{2})*$/i.test(text) ? scansOf(text) : [];
  });
}

function scansOf(hex: string): Scan[] {
  const scans: Scan[] = [];
  for (let at = 0; at + 4 <= hex.length; ) {
    const [tag, length] = [hex.slice(at, at + 2), hex.slice(at + 2, at + 4)].map((text) => Number.parseInt(text, 16));
    const value = hex.slice(at + 4, at + 4 + length! * 2);
    if (value.length === length! * 2 && scanOf[tag!]) scans.push(scanOf[tag!]!(value));
    at += 4 + length! * 2;
  }
  return scans;
}
