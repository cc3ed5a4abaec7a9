/** Uplinks: the `rxpk` objects of a PUSH_DATA to gateway uplink frames, and back for the simulator. */
import type { Timestamp } from '@hilltop/protobuf';
import { create, formatTimestamp, gw, parseTimestamp, sharedBytesOf, timestamp } from '@hilltop/protobuf';
import { wholeSecondOf } from '../gps-time.ts';
import { decibels, JsonFields, uint8, uint32 } from '../json-fields.ts';
import { PacketError } from '../packet-error.ts';
import { longestFrame } from '../radio.ts';
import type { ModulationFields } from './modulation.ts';
import { formatUplinkModulation, readFrequency, readUplinkModulation } from './modulation.ts';
import type { PushData } from './packet.ts';

/** An uplink as the forwarder writes it (`freq` in MHz, `tmst` in microseconds, `data` base64). */
export type Rxpk = ModulationFields & {
  readonly tmst: number;
  readonly time?: string;
  readonly tmms?: number;
  readonly ftime?: number;
  readonly freq: number;
  readonly chan: number;
  readonly rfch: number;
  readonly brd?: number;
  readonly stat: 1 | 0 | -1;
  readonly rssi: number;
  readonly lsnr?: number;
  readonly hpw?: number;
  readonly size: number;
  readonly data: string;
};

/** The concentrator counts microseconds with 32 bits; some forwarders exceed them. */
const concentratorWrap = 2 ** 32;
/** More than any gateway has. Each antenna is a reception; further ones are ignored. */
const mostAntennas = 16;
/** In dBm or dB: the range that a radio can measure. */
const level = { min: -300, max: 300 };
/** In dBm. A gateway without a valid strength counts as a weak one. */
const unknownStrength = -120;
/** The longest Duration of Protocol Buffers: about 10,000 years. */
const longestDurationMs = 315_576_000_000_000;

/** A frame whose bytes are not those that were sent. */
export interface UnreadableFrame {
  readonly txInfo: gw.UplinkTXInfo;
  readonly size: number;
}

export type Uplinks = {
  /** Frames with a valid CRC, one per antenna. */
  readonly frames: gw.UplinkFrame[];
  /** Frames with a wrong payload CRC, and without one: both are unusable. */
  readonly badCRC: number;
  readonly withoutCRC: number;
  /** What such frames tell of their time on air. */
  readonly unreadable: UnreadableFrame[];
  /** Errors of objects that are not uplinks; the others of the datagram are not affected. */
  readonly broken: PacketError[];
};

/** The uplinks of a datagram. */
export function uplinksOf(packet: PushData): Uplinks {
  const frames: gw.UplinkFrame[] = [];
  const broken: PacketError[] = [];
  const unreadable: UnreadableFrame[] = [];
  let badCRC = 0;
  let withoutCRC = 0;
  for (const [index, json] of packet.rxpk.entries()) {
    try {
      const path = `rxpk[${index}]`;
      const fields = new JsonFields(json, path);
      const crc = fields.integer('stat', { min: -1, max: 1 }, 0);
      if (crc === 1) frames.push(...readRxpk(fields, path, packet.gatewayID));
      else {
        if (crc === 0) withoutCRC++;
        else badCRC++;
        unreadable.push(...readUnreadable(fields, path));
      }
    } catch (error) {
      if (!(error instanceof PacketError)) throw error;
      broken.push(error);
    }
  }
  return { frames, badCRC, withoutCRC, unreadable, broken };
}

/**
 * The gateway gets an acknowledgement for the whole datagram, so a frame is refused only when its payload, frequency or
 * modulation is unusable. Every other field is informational: an invalid value is ignored.
 */
function readRxpk(fields: JsonFields, path: string, gatewayID: string): gw.UplinkFrame[] {
  const phyPayload = fields.bytes('data');
  if (phyPayload.length === 0 || phyPayload.length > longestFrame)
    throw new PacketError('field', `${path}.data must have 1 to ${longestFrame} bytes`, `${path}.data`);
  const txInfo: gw.UplinkTXInfo = {
    frequency: readFrequency(fields, path),
    ...readUplinkModulation(fields, path),
  };
  const time = readTime(fields);
  const gpsMs = readGPSTime(fields);
  const received = create(gw.UplinkRXInfo, {
    gatewayID: sharedBytesOf(gatewayID),
    time,
    timeSinceGPSEpoch: gpsMs,
    channel: fields.integerIfValid('chan', uint32) ?? 0,
    rfChain: fields.integerIfValid('rfch', uint32) ?? 0,
    board: fields.integerIfValid('brd', uint32) ?? 0,
    context: readContext(fields),
    crcStatus: 'CRC_OK',
  });
  const wholeSecond = wholeSecondOf(time, gpsMs);
  const antennas = antennasOf(fields, path);
  if (antennas.length > 0) {
    const aesKeyIndex = fields.integerIfValid('aesk', uint32) ?? 0;
    return antennas.map((antenna) => {
      const rxInfo = { ...received, ...readAntenna(antenna, wholeSecond, aesKeyIndex) };
      return { phyPayload, txInfo, rxInfo };
    });
  }
  const rxInfo: gw.UplinkRXInfo = {
    ...received,
    rssi: readStrength(fields, 'rssi'),
    loRaSNR: fields.numberIfValid('lsnr', level) ?? 0,
    ...readFineTime(fields, wholeSecond),
  };
  return [{ phyPayload, txInfo, rxInfo }];
}

/** None when the frame does not even tell how it was sent. */
function readUnreadable(fields: JsonFields, path: string): UnreadableFrame[] {
  const size = fields.integerIfValid('size', { min: 1, max: longestFrame });
  if (size === null) return [];
  try {
    return [{ size, txInfo: { frequency: readFrequency(fields, path), ...readUplinkModulation(fields, path) } }];
  } catch (error) {
    if (!(error instanceof PacketError)) throw error;
    return [];
  }
}

/** The objects in `rsig`, one per antenna. Without any, the rxpk itself has the levels. */
function antennasOf(fields: JsonFields, path: string): JsonFields[] {
  const rsig = fields.value('rsig');
  if (!Array.isArray(rsig)) return [];
  return rsig
    .slice(0, mostAntennas)
    .filter((json) => typeof json === 'object' && json !== null && !Array.isArray(json))
    .map((json, index) => new JsonFields(json, `${path}.rsig[${index}]`));
}

function readAntenna(fields: JsonFields, wholeSecond: number | null, aesKeyIndex: number): Partial<gw.UplinkRXInfo> {
  const signal = {
    antenna: fields.integerIfValid('ant', uint8) ?? 0,
    channel: fields.integerIfValid('chan', uint32) ?? 0,
    rssi: readStrength(fields, 'rssic'),
    loRaSNR: fields.numberIfValid('lsnr', level) ?? 0,
  };
  const encryptedNS = readEncryptedFineTime(fields);
  if (!encryptedNS) return { ...signal, ...readFineTime(fields, wholeSecond) };
  const encryptedFineTimestamp = create(gw.EncryptedFineTimestamp, { aesKeyIndex, encryptedNS });
  return { ...signal, fineTimestampType: 'ENCRYPTED', encryptedFineTimestamp };
}

function readEncryptedFineTime(fields: JsonFields): Uint8Array | null {
  if (!fields.has('etime')) return null;
  try {
    return fields.bytes('etime');
  } catch {
    return null;
  }
}

/** The strength in dBm of the channel, else of the signal. */
function readStrength(fields: JsonFields, ofChannel: 'rssi' | 'rssic'): number {
  return decibels(fields.numberIfValid(ofChannel, level) ?? fields.numberIfValid('rssis', level) ?? unknownStrength);
}

/** The concentrator time as four bytes; empty when the gateway has lost it, because then it cannot time a downlink. */
function readContext(fields: JsonFields): Uint8Array {
  const tmst = Math.floor(fields.numberIfValid('tmst', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? -1);
  return tmst < 0 ? new Uint8Array() : bigEndian(tmst % concentratorWrap);
}

function readTime(fields: JsonFields): Timestamp | null {
  const time = fields.value('time');
  return (typeof time === 'string' && parseTimestamp(time)) || null;
}

/** Milliseconds since the epoch of GPS. */
function readGPSTime(fields: JsonFields): number | null {
  const ms = fields.numberIfValid('tmms', { min: 0, max: longestDurationMs });
  return ms === null ? null : Math.round(ms);
}

/** `ftime` counts nanoseconds within a second, so it is useless without a known second. */
function readFineTime(fields: JsonFields, wholeSecond: number | null): Partial<gw.UplinkRXInfo> {
  const nanoseconds = fields.integerIfValid('ftime', { min: 0, max: 999_999_999 });
  if (nanoseconds === null || wholeSecond === null) return {};
  const time = timestamp(wholeSecond + Math.floor(nanoseconds / 1e6), nanoseconds % 1e6);
  return { fineTimestampType: 'PLAIN', plainFineTimestamp: { time } };
}

function bigEndian(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

/**
 * The rxpk that a forwarder would send for a frame; its context contains the concentrator time. @throws PacketError
 * when the frame has no txInfo, rxInfo, or a context that is not four bytes.
 */
export function rxpkOf(frame: gw.UplinkFrame): Rxpk {
  const { txInfo, rxInfo } = frame;
  if (!txInfo || !rxInfo) throw new PacketError('field', 'an uplink frame needs txInfo and rxInfo', 'txInfo');
  return {
    tmst: concentratorTime(rxInfo.context),
    ...(rxInfo.time && { time: formatTimestamp(rxInfo.time) }),
    ...(rxInfo.timeSinceGPSEpoch !== null && { tmms: Math.round(rxInfo.timeSinceGPSEpoch) }),
    ...(rxInfo.plainFineTimestamp?.time && { ftime: nanosecondsOf(rxInfo.plainFineTimestamp.time) }),
    freq: txInfo.frequency / 1e6,
    chan: rxInfo.channel,
    rfch: rxInfo.rfChain,
    ...(rxInfo.board > 0 && { brd: rxInfo.board }),
    stat: rxInfo.crcStatus === 'CRC_OK' ? 1 : rxInfo.crcStatus === 'BAD_CRC' ? -1 : 0,
    ...formatUplinkModulation(txInfo),
    rssi: rxInfo.rssi,
    lsnr: rxInfo.loRaSNR,
    size: frame.phyPayload.length,
    data: frame.phyPayload.toBase64(),
  };
}

function nanosecondsOf(time: Timestamp): number {
  return time.getUTCMilliseconds() * 1e6 + (time.nanoseconds ?? 0);
}

/** The concentrator time (microseconds, 32 bits) in a context. @throws PacketError */
export function concentratorTime(context: Uint8Array): number {
  if (context.length !== 4) throw new PacketError('field', 'the context of this gateway has four bytes', 'context');
  return new DataView(context.buffer, context.byteOffset).getUint32(0);
}
