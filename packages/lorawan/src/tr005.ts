/**
 * The codes and texts on the labels of devices: QR codes of LoRa Alliance TR005, its drafts, and plain text with EUIs
 * and keys. All identifiers are lower-case hexadecimal digits, most significant byte first.
 */

/** What a label says about a device. Absent members are unknown. */
export interface DeviceLabel {
  kind: 'device';
  devEUI?: string;
  joinEUI?: string;
  /** A root key; TR005 codes have none. */
  key?: string;
  /** The 2-byte number of the vendor, given by the LoRa Alliance. */
  vendorID?: string;
  /** The 2-byte number that the vendor gives to a kind of device. */
  profileID?: string;
  /** Proves ownership to a join server that hands devices over. */
  ownerToken?: string;
  serialNumber?: string;
  proprietary?: string;
  /** The checksum of the code is wrong: it was typed or printed wrongly. */
  isDamaged: boolean;
  /** All values of 8 bytes in the order of the text: each may be the DevEUI or the JoinEUI. */
  euis: readonly string[];
  /** All values of 16 bytes in the order of the text. */
  keys: readonly string[];
}

export type LabelText = DeviceLabel | { kind: 'webAddress' } | { kind: 'unknown' };

/** A QR code holds 4,296 characters at most. */
const mostCharacters = 4296;

const standard = /^LW:D0:([0-9A-F]{16}):([0-9A-F]{16}):([0-9A-F]{8})((?::[A-Z][^:]*)*)$/i;
const draft3 = /^URN:DEV:LW:([0-9A-F]{16})_([0-9A-F]{16})_([0-9A-F]{8})((?:_[A-Z][^_]*)*)$/i;
const draft2 = /^URN:LW:DP:([0-9A-F]{16}):([0-9A-F]{16}):([0-9A-F]{8})(?::((?:%[A-Z][^%]*)*))?$/i;

/** Reads the text of a label: a scanned code, or what somebody typed or pasted. */
export function readLabel(text: string): LabelText {
  const bare = text.slice(0, mostCharacters).trim();
  if (/^https?:\/\//i.test(bare) || /^www\./i.test(bare)) return { kind: 'webAddress' };
  return readCode(bare) ?? readText(bare);
}

function readCode(text: string): DeviceLabel | null {
  for (const [pattern, separator] of [
    [standard, ':'],
    [draft3, '_'],
    [draft2, '%'],
  ] as const) {
    const found = pattern.exec(text);
    if (!found) continue;
    const [, joinEUI = '', devEUI = '', profile = '', extensions = ''] = found;
    const extension = (letter: string) =>
      extensions
        .split(separator)
        .find((part) => part[0]?.toUpperCase() === letter)
        ?.slice(1);
    const isStandard = pattern === standard;
    const checksum = isStandard ? extension('C') : undefined;
    return {
      kind: 'device',
      ...given({
        devEUI: devEUI.toLowerCase(),
        joinEUI: joinEUI.toLowerCase(),
        // All zeros: the maker has no number of its own.
        ...(profile !== noProfile && {
          vendorID: profile.slice(0, 4).toLowerCase(),
          profileID: profile.slice(4).toLowerCase(),
        }),
        ownerToken: extension(isStandard ? 'O' : 'V'),
        serialNumber: extension('S'),
        proprietary: extension('P'),
      }),
      isDamaged: checksum !== undefined && checksum.toUpperCase() !== checksumOf(text.slice(0, text.lastIndexOf(':'))),
      euis: [devEUI.toLowerCase(), joinEUI.toLowerCase()],
      keys: [],
    };
  }
  return null;
}

const noProfile = '00000000';

/** Without the members that are undefined or empty. */
function given<Members extends Record<string, string | undefined>>(members: Members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value)) as {
    [Name in keyof Members]?: string;
  };
}

/** Values of 8 or 16 bytes: in one piece, or in equal groups with one kind of separator. */
const value =
  /(?<![0-9a-z])(?:0x)?(?:[0-9a-f]{16}(?:[0-9a-f]{16})?|[0-9a-f]{8}([-: ])[0-9a-f]{8}(?:\1[0-9a-f]{8}\1[0-9a-f]{8})?|[0-9a-f]{4}([-: ])[0-9a-f]{4}(?:\2[0-9a-f]{4}){2}(?:(?:\2[0-9a-f]{4}){4})?|[0-9a-f]{2}([-: ])[0-9a-f]{2}(?:\3[0-9a-f]{2}){6}(?:(?:\3[0-9a-f]{2}){8})?)(?![0-9a-z])/gi;

/** The name before a value says what it is; the last one counts. */
const names =
  /(?<dev>dev(?:ice)?[ _-]?eui)|(?<join>(?:join|app(?:lication)?)[ _-]?eui)|(?<key>(?:app(?:lication)?|nwk|network)[ _-]?key)/gi;

type NamedAs = 'dev' | 'join' | 'key';

interface LabelValue {
  digits: string;
  namedAs: NamedAs | undefined;
}

function readText(text: string): LabelText {
  const values = valuesOf(text);
  if (values.length === 0) return { kind: 'unknown' };
  const long = values.filter(({ digits }) => digits.length === 32);
  const short = values.filter(({ digits }) => digits.length === 16);
  const [first, second] = short;
  const isPair = /^[0-9a-f]{16}:[0-9a-f]{16}$/i.test(text);
  const unnamed = short.filter(({ namedAs }) => namedAs === undefined);
  const named = (wanted: NamedAs, among: readonly LabelValue[]) =>
    among.find(({ namedAs }) => namedAs === wanted)?.digits;
  const joinEUI = isPair ? second?.digits : named('join', short);
  // One value without a name is the DevEUI; of several the user chooses.
  const devEUI = isPair
    ? first?.digits
    : (named('dev', short) ?? (unnamed.length === 1 ? unnamed[0]?.digits : undefined));
  return {
    kind: 'device',
    ...given({ devEUI, joinEUI, key: named('key', long) ?? (long.length === 1 ? long[0]?.digits : undefined) }),
    isDamaged: false,
    euis: distinct(short),
    keys: distinct(long),
  };
}

function valuesOf(text: string): LabelValue[] {
  let end = 0;
  return [...text.matchAll(value)].map((found) => {
    const name = [...text.slice(end, found.index).matchAll(names)].at(-1)?.groups;
    end = found.index + found[0].length;
    const namedAs = name && (['dev', 'join', 'key'] as const).find((each) => name[each] !== undefined);
    return { digits: found[0].replace(/^0x/i, '').replaceAll(/[-: ]/g, '').toLowerCase(), namedAs };
  });
}

const distinct = (values: readonly LabelValue[]) => [...new Set(values.map(({ digits }) => digits))];

export interface LabelContents {
  devEUI: string;
  joinEUI?: string;
  vendorID?: string;
  profileID?: string;
}

/** The text of a TR005 code. What is unknown is written as zeros. */
export function labelText({
  devEUI,
  joinEUI = '0'.repeat(16),
  vendorID = '0000',
  profileID = '0000',
}: LabelContents): string {
  const text = `LW:D0:${joinEUI}:${devEUI}:${vendorID}${profileID}`.toUpperCase();
  return `${text}:C${checksumOf(text)}`;
}

/** CRC-16/MODBUS of the text before the checksum. */
function checksumOf(text: string): string {
  let crc = 0xff_ff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa0_01 : crc >>> 1;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

/** First bytes of EUIs (IEEE OUI) of makers whose devices are common; an incomplete list is enough for a hint. */
const makerPrefixes = [
  '0004a3',
  '000b57',
  '00137a',
  '0016c0',
  '0018b2',
  '001bc5',
  '009569',
  '0080e1',
  '1ce2cc',
  '24e124',
  '2cf7f1',
  '58a0cb',
  '647fda',
  '70b3d5',
  '78af58',
  '8c1f64',
  '8cf957',
  'a0dc04',
  'a81758',
  'a84041',
  'ac1f09',
  'b0fd0b',
  'c0ee40',
  'c4dea8',
  'd02544',
  'e8e1e1',
  'fcd6bd',
] as const;

export const reversedHex = (hex: string): string => (hex.match(/../g) ?? []).reverse().join('');

/** The EUI ends with the reversed prefix of a maker and does not begin with one: its bytes are probably reversed. */
export function looksReversed(eui: string): boolean {
  const isOfMaker = (hex: string) => makerPrefixes.some((prefix) => hex.toLowerCase().startsWith(prefix));
  return !isOfMaker(eui) && isOfMaker(reversedHex(eui));
}
