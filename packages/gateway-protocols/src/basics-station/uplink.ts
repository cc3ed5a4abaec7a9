/** Uplinks of a station: it sends the fields of a frame, from which the original bytes are restored. */
import { create, gw, timestamp } from '@hilltop/protobuf';
import { wholeSecondOf } from '../gps-time.ts';
import { decibels, int32, type JsonFields, uint8, uint32 } from '../json-fields.ts';
import { PacketError } from '../packet-error.ts';
import { isFrequency, longestFrame, nominalFrequency } from '../radio.ts';
import { modulationOfRate, type StationRates } from './data-rates.ts';
import { readEUI } from './eui.ts';

const uint16 = { min: 0, max: 0xffff };

/** The bytes of the frame by the `msgtype` that carries it. */
export const frameReaders: Readonly<Record<string, (fields: JsonFields) => Uint8Array>> = {
  jreq: (fields) =>
    bytesOf(
      fields.integer('MHdr', uint8),
      euiOf(fields, 'JoinEui'),
      euiOf(fields, 'DevEui'),
      littleEndian(fields.integer('DevNonce', uint16), 2),
      micOf(fields),
    ),
  rejoin: readRejoin,
  updf: readData,
  propdf: (fields) => fields.hex('FRMPayload'),
};

function readData(fields: JsonFields): Uint8Array {
  const fOpts = fields.hex('FOpts', '');
  const fPort = fields.integer('FPort', { min: -1, max: 255 }, -1);
  return bytesOf(
    fields.integer('MHdr', uint8),
    littleEndian(fields.integer('DevAddr', int32), 4),
    fields.integer('FCtrl', uint8),
    littleEndian(fields.integer('FCnt', uint16), 2),
    fOpts,
    fPort === -1 ? new Uint8Array() : fPort,
    fields.hex('FRMPayload', ''),
    micOf(fields),
  );
}

/** Newer stations pass the frame on as `pdu`, complete or without MHDR and MIC; others send its fields. */
function readRejoin(fields: JsonFields): Uint8Array {
  const mHDR = fields.integer('MHdr', uint8);
  const mic = micOf(fields);
  if (fields.has('pdu')) {
    const pdu = fields.hex('pdu');
    const isWhole = pdu[0] === mHDR && pdu.subarray(-4).toHex() === mic.toHex();
    return isWhole ? pdu : bytesOf(mHDR, pdu, mic);
  }
  const type = fields.integer('RejoinType', { min: 0, max: 2 });
  const [counter, identifier] =
    type === 1
      ? ['RJcount1', euiOf(fields, 'JoinEui')]
      : ['RJcount0', littleEndian(fields.integer('NetID', { min: 0, max: 0xffffff }), 3)];
  const count = littleEndian(fields.integer(counter as string, uint16), 2);
  return bytesOf(mHDR, type, identifier as Uint8Array, euiOf(fields, 'DevEui'), count, mic);
}

function bytesOf(...parts: (number | Uint8Array)[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => (typeof part === 'number' ? part : [...part])));
}

/** EUIs are transmitted in reverse order. */
function euiOf(fields: JsonFields, name: string): Uint8Array {
  return Uint8Array.fromHex(readEUI(fields.value(name), name)).reverse();
}

function micOf(fields: JsonFields): Uint8Array {
  return littleEndian(fields.integer('MIC', int32), 4);
}

function littleEndian(number: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, position) => (number >> (8 * position)) & 0xff);
}

/** @throws PacketError */
export function readUplink(
  fields: JsonFields,
  readFrame: (fields: JsonFields) => Uint8Array,
  { gatewayID, rates }: { gatewayID: Uint8Array; rates: StationRates },
): gw.UplinkFrame {
  const phyPayload = readFrame(fields);
  if (phyPayload.length === 0 || phyPayload.length > longestFrame) {
    throw new PacketError('length', `a frame has 1 to ${longestFrame} bytes, this one ${phyPayload.length}`);
  }
  const modulation = modulationOfRate(rates[fields.integer('DR', { min: 0, max: 15 })] ?? null);
  if (!modulation) throw new PacketError('field', 'DR must be a data-rate of the region', 'DR');
  const upinfo = fields.object('upinfo');
  const gpsMs = gpsTimeOf(upinfo);
  const rxInfo = create(gw.UplinkRXInfo, {
    gatewayID,
    time: timeOf(upinfo),
    timeSinceGPSEpoch: gpsMs,
    rssi: decibels(upinfo.level('rssi')),
    loRaSNR: upinfo.level('snr', 0),
    context: formatContext({ rctx: upinfo.int64('rctx', 0n), xtime: upinfo.int64('xtime') }),
    crcStatus: 'CRC_OK',
    ...readFineTime(upinfo, gpsMs),
  });
  return { phyPayload, txInfo: { frequency: readFrequency(fields), ...modulation }, rxInfo };
}

function readFrequency(fields: JsonFields): number {
  const hertz = nominalFrequency(fields.within('Freq', uint32));
  if (!isFrequency(hertz)) throw new PacketError('field', 'Freq must be a frequency of LoRaWAN in Hz', 'Freq');
  return hertz;
}

/** Converts `gpstime` from microseconds to milliseconds; 0 means that the station has none. */
function gpsTimeOf(upinfo: JsonFields): number | null {
  const microseconds = Number(upinfo.int64('gpstime', 0n));
  return microseconds > 0 && Number.isSafeInteger(microseconds) ? microseconds / 1000 : null;
}

/** The UTC time of the station, if its clock knows it. */
function timeOf(upinfo: JsonFields) {
  const seconds = Number(upinfo.value('rxtime') ?? 0);
  if (!(seconds > 0) || seconds > 2 ** 33) return null;
  const whole = Math.floor(seconds);
  return timestamp(whole * 1000 + Math.floor((seconds - whole) * 1000), 0);
}

/** `fts` counts nanoseconds within the second of `gpstime`. */
function readFineTime(upinfo: JsonFields, gpsMs: number | null): Partial<gw.UplinkRXInfo> {
  const nanoseconds = upinfo.integer('fts', { min: -1, max: 999_999_999 }, -1);
  const second = nanoseconds < 0 || gpsMs === null ? null : wholeSecondOf(null, gpsMs);
  if (second === null) return {};
  const time = timestamp(second + Math.floor(nanoseconds / 1e6), nanoseconds % 1e6);
  return { fineTimestampType: 'PLAIN', plainFineTimestamp: { time } };
}

/** The context that a downlink returns so that the station can time it: rctx and xtime, 8 bytes each. */
export interface RadioContext {
  rctx: bigint;
  xtime: bigint;
}

export function formatContext({ rctx, xtime }: RadioContext): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigInt64(0, rctx);
  view.setBigInt64(8, xtime);
  return bytes;
}

/** Null when the bytes are not the context of a station. */
export function readContext(bytes: Uint8Array): RadioContext | null {
  if (bytes.length !== 16) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  return { rctx: view.getBigInt64(0), xtime: view.getBigInt64(8) };
}
