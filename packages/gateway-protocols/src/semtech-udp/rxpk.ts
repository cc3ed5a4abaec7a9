/** Uplinks: the `rxpk` objects of a PUSH_DATA to gateway uplink frames, and back for the simulator. */
import type { Timestamp } from '@hilltop/protobuf';
import { bytesOf, create, formatTimestamp, gw, parseTimestamp, timestamp } from '@hilltop/protobuf';
import { wholeSecondOf } from '../gps-time.ts';
import { decibels, int32, JsonFields, uint8, uint32 } from '../json-fields.ts';
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

/** The concentrator counts microseconds with 32 bits; some forwarders count on. */
const concentratorWrap = 2 ** 32;
/** More than any gateway has; each is a reception of its own. */
const mostAntennas = 16;

export type Uplinks = {
  /** What was received whole, one frame per antenna. */
  readonly frames: gw.UplinkFrame[];
  /** How many had a wrong payload checksum, how many none: both are of no use. */
  readonly badCRC: number;
  readonly withoutCRC: number;
  /** Objects that are no uplink; the others of the datagram are not harmed. */
  readonly broken: PacketError[];
};

/** The uplinks of a datagram. */
export function uplinksOf(packet: PushData): Uplinks {
  const frames: gw.UplinkFrame[] = [];
  const broken: PacketError[] = [];
  let badCRC = 0;
  let withoutCRC = 0;
  for (const [index, json] of packet.rxpk.entries()) {
    try {
      const path = `rxpk[${index}]`;
      const fields = new JsonFields(json, path);
      const crc = fields.integer('stat', { min: -1, max: 1 }, 0);
      if (crc === 1) frames.push(...readRxpk(fields, path, packet.gatewayID));
      else if (crc === 0) withoutCRC++;
      else badCRC++;
    } catch (error) {
      if (!(error instanceof PacketError)) throw error;
      broken.push(error);
    }
  }
  return { frames, badCRC, withoutCRC, broken };
}

function readRxpk(fields: JsonFields, path: string, gatewayID: string): gw.UplinkFrame[] {
  const phyPayload = fields.bytes('data');
  if (phyPayload.length === 0 || phyPayload.length > longestFrame)
    throw new PacketError('field', `${path}.data must have 1 to ${longestFrame} bytes`, `${path}.data`);
  const txInfo: gw.UplinkTXInfo = {
    frequency: readFrequency(fields, path),
    ...readUplinkModulation(fields, path),
  };
  const time = readTime(fields);
  const gpsMs = fields.has('tmms') ? Math.round(fields.within('tmms', { min: 0, max: Number.MAX_SAFE_INTEGER })) : null;
  const received = create(gw.UplinkRXInfo, {
    gatewayID: bytesOf(gatewayID),
    time,
    timeSinceGPSEpoch: gpsMs,
    channel: fields.integer('chan', uint32, 0),
    rfChain: fields.integer('rfch', uint32, 0),
    board: fields.integer('brd', uint32, 0),
    context: readContext(fields),
    crcStatus: 'CRC_OK',
  });
  const wholeSecond = wholeSecondOf(time, gpsMs);
  const antennas = fields.list('rsig');
  if (antennas.length > mostAntennas)
    throw new PacketError('field', `${path}.rsig must have at most ${mostAntennas} entries`, `${path}.rsig`);
  if (antennas.length > 0) {
    const aesKeyIndex = fields.integer('aesk', uint32, 0);
    return antennas.map((json, index) => {
      const antenna = readAntenna(new JsonFields(json, `${path}.rsig[${index}]`), wholeSecond, aesKeyIndex);
      return { phyPayload, txInfo, rxInfo: { ...received, ...antenna } };
    });
  }
  const rxInfo: gw.UplinkRXInfo = {
    ...received,
    rssi: readStrength(fields, 'rssi'),
    loRaSNR: fields.level('lsnr', 0),
    ...readFineTime(fields, wholeSecond),
  };
  return [{ phyPayload, txInfo, rxInfo }];
}

function readAntenna(fields: JsonFields, wholeSecond: number | null, aesKeyIndex: number): Partial<gw.UplinkRXInfo> {
  const signal = {
    antenna: fields.integer('ant', uint8, 0),
    channel: fields.integer('chan', uint32, 0),
    rssi: readStrength(fields, 'rssic'),
    loRaSNR: fields.level('lsnr', 0),
  };
  if (!fields.has('etime')) return { ...signal, ...readFineTime(fields, wholeSecond) };
  const encryptedFineTimestamp = create(gw.EncryptedFineTimestamp, { aesKeyIndex, encryptedNS: fields.bytes('etime') });
  return { ...signal, fineTimestampType: 'ENCRYPTED', encryptedFineTimestamp };
}

/** dBm of the channel, else of the signal alone. */
function readStrength(fields: JsonFields, ofChannel: 'rssi' | 'rssic'): number {
  const name = !fields.has(ofChannel) && fields.has('rssis') ? 'rssis' : ofChannel;
  return decibels(fields.level(name));
}

/** The concentrator time as four bytes; none when the gateway has lost it: no answer can be timed by such a reception. */
function readContext(fields: JsonFields): Uint8Array {
  const tmst = Math.floor(fields.within('tmst', { min: int32.min, max: Number.MAX_SAFE_INTEGER }, -1));
  return tmst < 0 ? new Uint8Array() : bigEndian(tmst % concentratorWrap);
}

/** Informs only: what is no time, such as a number, is no reason to lose the frame. */
function readTime(fields: JsonFields): Timestamp | null {
  const time = fields.value('time');
  return (typeof time === 'string' && parseTimestamp(time)) || null;
}

/** `ftime` counts nanoseconds within a second: without a known second it says nothing. */
function readFineTime(fields: JsonFields, wholeSecond: number | null): Partial<gw.UplinkRXInfo> {
  if (!fields.has('ftime') || wholeSecond === null) return {};
  const nanoseconds = fields.integer('ftime', { min: 0, max: 999_999_999 });
  const time = timestamp(wholeSecond + Math.floor(nanoseconds / 1e6), nanoseconds % 1e6);
  return { fineTimestampType: 'PLAIN', plainFineTimestamp: { time } };
}

function bigEndian(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

/**
 * The rxpk a forwarder would send for a frame; its context holds the concentrator time.
 * @throws PacketError when the frame has no txInfo, rxInfo, or a context that is not four bytes.
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

/** The concentrator time (microseconds, 32 bits) that a context carries. @throws PacketError */
export function concentratorTime(context: Uint8Array): number {
  if (context.length !== 4) throw new PacketError('field', 'the context of this gateway has four bytes', 'context');
  return new DataView(context.buffer, context.byteOffset).getUint32(0);
}
