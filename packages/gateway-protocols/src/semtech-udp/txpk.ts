/** Downlinks: one item of a downlink frame to the `txpk` object of a PULL_RESP, and back for the simulator. */
import { create, gw } from '@hilltop/protobuf';
import { JsonFields, uint8, uint32 } from '../json-fields.ts';
import { PacketError } from '../packet-error.ts';
import type { ModulationFields } from './modulation.ts';
import { formatLoRa, readFrequency, readLoRa } from './modulation.ts';
import type { PullResp } from './packet.ts';
import { concentratorTime } from './rxpk.ts';

/** A downlink as the forwarder reads it; exactly one of `imme`, `tmst` (microseconds), `tmms` (GPS ms) times it. */
export type Txpk = ModulationFields & {
  readonly imme?: true;
  readonly tmst?: number;
  readonly tmms?: number;
  readonly freq: number;
  readonly rfch: number;
  readonly powe: number;
  readonly ant: number;
  readonly brd: number;
  readonly fdev?: number;
  readonly ipol: boolean;
  readonly ncrc?: true;
  readonly prea?: number;
  readonly size: number;
  readonly data: string;
};

export type TxpkOptions = {
  /** Send without a payload CRC. */
  readonly withoutCRC?: boolean;
  /** Preamble symbols; the default of the forwarder if omitted. */
  readonly preamble?: number;
};

const fskDeviation = 25_000;

/** The JSON that makes a forwarder send this item. @throws PacketError when the protocol cannot express the item. */
export function txpkOf(item: gw.DownlinkFrameItem, options: TxpkOptions = {}): Txpk {
  const { txInfo, phyPayload } = item;
  if (!txInfo) throw new PacketError('field', 'a downlink needs its txInfo', 'txInfo');
  return {
    ...formatTiming(txInfo),
    freq: txInfo.frequency / 1e6,
    rfch: 0,
    powe: txInfo.power,
    ant: txInfo.antenna,
    brd: txInfo.board,
    ...formatModulation(txInfo),
    ipol: txInfo.loRaModulationInfo?.polarizationInversion ?? false,
    ...(options.withoutCRC && { ncrc: true }),
    ...(options.preamble !== undefined && { prea: options.preamble }),
    size: phyPayload.length,
    data: phyPayload.toBase64(),
  };
}

function formatTiming(txInfo: gw.DownlinkTXInfo): Pick<Txpk, 'imme' | 'tmst' | 'tmms'> {
  if (txInfo.timing === 'IMMEDIATELY') return { imme: true };
  if (txInfo.timing === 'DELAY') {
    const delayMs = txInfo.delayTimingInfo?.delay ?? 0;
    return { tmst: (concentratorTime(txInfo.context) + Math.round(delayMs * 1000)) % 2 ** 32 };
  }
  const gpsMs = txInfo.gpsEpochTimingInfo?.timeSinceGPSEpoch;
  if (typeof gpsMs !== 'number') throw new PacketError('field', 'GPS timing needs its time', 'gpsEpochTimingInfo');
  return { tmms: Math.round(gpsMs) };
}

function formatModulation(txInfo: gw.DownlinkTXInfo): ModulationFields & { fdev?: number } {
  if (txInfo.loRaModulationInfo) return formatLoRa(txInfo.loRaModulationInfo);
  const fsk = txInfo.fskModulationInfo;
  if (!fsk) throw new PacketError('field', 'a downlink needs its modulation', 'txInfo');
  return { modu: 'FSK', datr: fsk.datarate, fdev: fsk.frequencyDeviation || fskDeviation };
}

/** The checked `txpk` of a PULL_RESP. @throws PacketError */
export function readTxpk(packet: PullResp): Txpk {
  const path = 'txpk';
  const fields = new JsonFields(packet.txpk, path);
  const data = fields.bytes('data');
  const base = {
    freq: readFrequency(fields, path) / 1e6,
    rfch: fields.integer('rfch', uint8, 0),
    powe: fields.integer('powe', { min: -128, max: 127 }, 14),
    ant: fields.integer('ant', uint8, 0),
    brd: fields.integer('brd', uint8, 0),
    ...readModulation(fields, path),
    ipol: fields.boolean('ipol', false),
    ...(fields.boolean('ncrc', false) && { ncrc: true as const }),
    ...(fields.has('prea') && { prea: fields.integer('prea', { min: 0, max: 65_535 }) }),
    size: data.length,
    data: data.toBase64(),
  };
  if (fields.boolean('imme', false)) return { imme: true, ...base };
  if (fields.has('tmst')) return { tmst: fields.integer('tmst', uint32), ...base };
  if (fields.has('tmms')) return { tmms: fields.integer('tmms', { min: 0, max: Number.MAX_SAFE_INTEGER }), ...base };
  throw new PacketError('field', 'txpk must say when to send: imme, tmst or tmms', path);
}

function readModulation(fields: JsonFields, path: string): ModulationFields & { fdev?: number } {
  const modu = fields.text('modu');
  if (modu === 'LORA') return formatLoRa(readLoRa(fields, path));
  if (modu !== 'FSK') throw new PacketError('field', `${path}.modu must be LORA or FSK`, `${path}.modu`);
  return { modu, datr: fields.integer('datr', uint32), fdev: fields.integer('fdev', uint32, fskDeviation) };
}

/** The downlink in the gateway model. DELAY counts from its own concentrator time. */
export function downlinkItemOf(txpk: Txpk): gw.DownlinkFrameItem {
  const fields = new JsonFields(txpk, 'txpk');
  const modulation =
    txpk.modu === 'LORA'
      ? { loRaModulationInfo: { ...readLoRa(fields, 'txpk'), polarizationInversion: txpk.ipol } }
      : { fskModulationInfo: { datarate: Number(txpk.datr), frequencyDeviation: txpk.fdev ?? fskDeviation } };
  return create(gw.DownlinkFrameItem, {
    phyPayload: Uint8Array.fromBase64(txpk.data),
    txInfo: {
      frequency: readFrequency(fields, 'txpk'),
      power: txpk.powe,
      modulation: txpk.modu === 'LORA' ? 'LORA' : 'FSK',
      ...modulation,
      board: txpk.brd,
      antenna: txpk.ant,
      ...readTiming(txpk),
    },
  });
}

function readTiming(txpk: Txpk) {
  if (txpk.tmst !== undefined) {
    const context = new Uint8Array(4);
    new DataView(context.buffer).setUint32(0, txpk.tmst);
    return { timing: 'DELAY', delayTimingInfo: { delay: 0 }, context } as const;
  }
  if (txpk.tmms !== undefined) {
    return { timing: 'GPS_EPOCH', gpsEpochTimingInfo: { timeSinceGPSEpoch: txpk.tmms } } as const;
  }
  return { timing: 'IMMEDIATELY', immediatelyTimingInfo: {} } as const;
}
