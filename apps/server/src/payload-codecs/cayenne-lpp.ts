import { CodecError } from './codec-error.ts';

/** Cayenne Low Power Payload: records of a channel byte, a type byte and big-endian values, as one table. */
type Layout = {
  type: number;
  name: string;
  bytes: number;
  signed: boolean;
  scale: number;
  members?: readonly Member[];
};
type Member = { name: string; scale: number };

const xyz = (scale: number): readonly Member[] => ['x', 'y', 'z'].map((name) => ({ name, scale }));

const layouts: readonly Layout[] = [
  { type: 0, name: 'digitalInput', bytes: 1, signed: false, scale: 1 },
  { type: 1, name: 'digitalOutput', bytes: 1, signed: false, scale: 1 },
  { type: 2, name: 'analogInput', bytes: 2, signed: true, scale: 0.01 },
  { type: 3, name: 'analogOutput', bytes: 2, signed: true, scale: 0.01 },
  { type: 100, name: 'genericSensor', bytes: 4, signed: false, scale: 1 },
  { type: 101, name: 'illuminanceSensor', bytes: 2, signed: false, scale: 1 },
  { type: 102, name: 'presenceSensor', bytes: 1, signed: false, scale: 1 },
  { type: 103, name: 'temperatureSensor', bytes: 2, signed: true, scale: 0.1 },
  { type: 104, name: 'humiditySensor', bytes: 1, signed: false, scale: 0.5 },
  { type: 113, name: 'accelerometer', bytes: 2, signed: true, scale: 1, members: xyz(0.001) },
  { type: 115, name: 'barometer', bytes: 2, signed: false, scale: 0.1 },
  { type: 116, name: 'voltage', bytes: 2, signed: false, scale: 0.01 },
  { type: 117, name: 'current', bytes: 2, signed: false, scale: 0.001 },
  { type: 118, name: 'frequency', bytes: 4, signed: false, scale: 1 },
  { type: 120, name: 'percentage', bytes: 1, signed: false, scale: 1 },
  { type: 121, name: 'altitude', bytes: 2, signed: true, scale: 1 },
  { type: 125, name: 'concentration', bytes: 2, signed: false, scale: 1 },
  { type: 128, name: 'power', bytes: 2, signed: false, scale: 1 },
  { type: 130, name: 'distance', bytes: 4, signed: false, scale: 0.001 },
  { type: 131, name: 'energy', bytes: 4, signed: false, scale: 0.001 },
  { type: 132, name: 'direction', bytes: 2, signed: false, scale: 1 },
  { type: 133, name: 'unixTime', bytes: 4, signed: false, scale: 1 },
  { type: 134, name: 'gyrometer', bytes: 2, signed: true, scale: 1, members: xyz(0.01) },
  {
    type: 135,
    name: 'colour',
    bytes: 1,
    signed: false,
    scale: 1,
    members: ['r', 'g', 'b'].map((name) => ({ name, scale: 1 })),
  },
  {
    type: 136,
    name: 'gpsLocation',
    bytes: 3,
    signed: true,
    scale: 1,
    members: [
      { name: 'latitude', scale: 0.0001 },
      { name: 'longitude', scale: 0.0001 },
      { name: 'altitude', scale: 0.01 },
    ],
  },
  { type: 142, name: 'switch', bytes: 1, signed: false, scale: 1 },
];
const byType = new Map(layouts.map((layout) => [layout.type, layout]));
const byName = new Map(layouts.map((layout) => [layout.name, layout]));

type Values = Record<string, unknown>;

/**
 * Payload to `{ kind: { channel: value } }`; kinds that do not occur are left out. The length of an unknown type is unknown:
 * reading ends there with a warning, and only without a value before it with an error. Throws CodecError with the offset.
 */
export function decodeCayenneLpp(payload: Uint8Array): { object: Record<string, Values>; warnings: string[] } {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const found: Record<string, Values> = {};
  for (let at = 0; at < payload.length; ) {
    const layout = byType.get(payload[at + 1] ?? -1);
    if (!layout) {
      const problem = `Cayenne LPP: unknown type ${payload[at + 1] ?? 'missing'} at byte ${at + 1}.`;
      if (at === 0 || at + 1 === payload.length) throw new CodecError(problem);
      return { object: found, warnings: [`${problem} The values from there on were not read.`] };
    }
    const size = layout.bytes * (layout.members?.length ?? 1);
    if (at + 2 + size > payload.length) {
      throw new CodecError(`Cayenne LPP: ${layout.name} at byte ${at} needs ${size} bytes, the payload ends before.`);
    }
    const read = (index: number, scale: number) =>
      scaled(readInteger(view, at + 2 + index * layout.bytes, layout), scale);
    (found[layout.name] ??= {})[payload[at]!] = layout.members
      ? Object.fromEntries(layout.members.map(({ name, scale }, index) => [name, read(index, scale)]))
      : read(0, layout.scale);
    at += 2 + size;
  }
  return { object: found, warnings: [] };
}

/** The reverse, kinds in table order and channels ascending. Throws CodecError naming the member at fault. */
export function encodeCayenneLpp(object: unknown): Uint8Array {
  if (!isRecord(object)) throw new CodecError('Cayenne LPP: the object must be like {"temperatureSensor":{"1":21.5}}.');
  const unknown = Object.keys(object).find((name) => !byName.has(name));
  if (unknown !== undefined) throw new CodecError(`Cayenne LPP: "${unknown}" is not a known kind of value.`);
  const bytes: number[] = [];
  for (const layout of layouts) {
    const channels = object[layout.name];
    if (channels === undefined || channels === null) continue;
    if (!isRecord(channels)) throw new CodecError(`Cayenne LPP: ${layout.name} must map channels to values.`);
    for (const channel of Object.keys(channels).sort((a, b) => Number(a) - Number(b))) {
      bytes.push(channelOf(layout, channel), layout.type, ...encodeValue(layout, channel, channels[channel]));
    }
  }
  return Uint8Array.from(bytes);
}

function encodeValue(layout: Layout, channel: string, value: unknown): number[] {
  if (!layout.members) return integerBytes(layout, channel, value, layout.scale);
  return layout.members.flatMap(({ name, scale }) =>
    integerBytes(layout, `${channel}.${name}`, isRecord(value) ? value[name] : undefined, scale),
  );
}

function integerBytes(layout: Layout, where: string, value: unknown, scale: number): number[] {
  const top = 2 ** (8 * layout.bytes - (layout.signed ? 1 : 0));
  const raw = typeof value === 'number' ? Math.round(value / scale) : Number.NaN;
  if (!(raw >= (layout.signed ? -top : 0) && raw < top)) {
    throw new CodecError(`Cayenne LPP: ${layout.name}.${where} is not a number that fits its ${layout.bytes} bytes.`);
  }
  return Array.from({ length: layout.bytes }, (_, index) => (raw >> (8 * (layout.bytes - 1 - index))) & 0xff);
}

function channelOf(layout: Layout, channel: string): number {
  if (/^\d{1,3}$/.test(channel) && Number(channel) < 256) return Number(channel);
  throw new CodecError(`Cayenne LPP: ${layout.name} has channel "${channel}", channels are 0 to 255.`);
}

function readInteger(view: DataView, at: number, { bytes, signed }: Layout): number {
  let value = 0;
  for (let index = 0; index < bytes; index++) value = (value << 8) | view.getUint8(at + index);
  return signed ? (value << (32 - 8 * bytes)) >> (32 - 8 * bytes) : value >>> 0;
}

/** Scales are decimal fractions: rounding at the fourth digit keeps 272 x 0.1 at 27.2 rather than 27.200000000000003. */
const scaled = (raw: number, scale: number) => Math.round(raw * scale * 1e4) / 1e4;

const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
