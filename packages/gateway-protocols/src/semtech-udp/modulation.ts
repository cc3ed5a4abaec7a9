/** Converts the modulation of a forwarder (`modu`, `datr`, `codr`) to that of the gateway model, and back. */
import { create, gw } from '@hilltop/protobuf';
import type { JsonFields } from '../json-fields.ts';
import { uint32 } from '../json-fields.ts';
import { PacketError } from '../packet-error.ts';
import {
  isFrequency,
  isLoRaCodeRate,
  isLoRaDataRate,
  lrFHSSCodeRate,
  nominalFrequency,
  reportedCodeRate,
} from '../radio.ts';

export type ModulationFields = {
  readonly modu: 'LORA' | 'FSK' | 'LR-FHSS';
  readonly datr: string | number;
  readonly codr?: string;
};

type UplinkModulation = Pick<
  gw.UplinkTXInfo,
  'modulation' | 'loRaModulationInfo' | 'fskModulationInfo' | 'lrFHSSModulationInfo'
>;

const loRaDataRate = /^SF(\d{1,2})BW(\d{3})$/;
const spokenLRFHSSCodeRates: Readonly<Record<string, string>> = { '1/3': '2/6', '2/3': '4/6' };

/** The modulation of an rxpk. @throws PacketError */
export function readUplinkModulation(fields: JsonFields, path: string): UplinkModulation {
  const modu = moduOf(fields);
  if (modu === 'LORA') return { modulation: 'LORA', loRaModulationInfo: readUplinkLoRa(fields, path) };
  if (modu === 'FSK') {
    const datarate = fields.integer('datr', uint32);
    return { modulation: 'FSK', fskModulationInfo: create(gw.FSKModulationInfo, { datarate }) };
  }
  if (modu !== 'LR-FHSS') throw refusal(`${path}.modu`, 'LORA, FSK or LR-FHSS');
  return { modulation: 'LR_FHSS', lrFHSSModulationInfo: readLRFHSS(fields, path) };
}

/** Older forwarders leave `modu` out: then the form of a LoRa data rate identifies the modulation. */
function moduOf(fields: JsonFields): string {
  const isLoRa = !fields.has('modu') && loRaDataRate.test(spoken(fields, 'datr', ''));
  return isLoRa ? 'LORA' : spoken(fields, 'modu');
}

/** Text converted to capitals, because not every forwarder follows the protocol. */
function spoken(fields: JsonFields, name: string, fallback?: string): string {
  return fields.text(name, fallback).toUpperCase();
}

/** The modulation of a downlink, whose code rate the gateway uses. */
export function readLoRa(fields: JsonFields, path: string): gw.LoRaModulationInfo {
  const rate = readLoRaDataRate(fields, path);
  const codeRate = spoken(fields, 'codr', '4/5');
  if (!isLoRaCodeRate(codeRate)) throw refusal(`${path}.codr`, 'a LoRa code rate such as 4/5');
  return create(gw.LoRaModulationInfo, { ...rate, codeRate });
}

function readUplinkLoRa(fields: JsonFields, path: string): gw.LoRaModulationInfo {
  const codeRate = readUplinkCodeRate(fields.value('codr'));
  return create(gw.LoRaModulationInfo, { ...readLoRaDataRate(fields, path), codeRate });
}

/** The code rate is informational: a missing or invalid one is replaced by that of LoRaWAN. */
function readUplinkCodeRate(codr: unknown): string {
  const text = typeof codr === 'number' ? String(codr).replace(/^4([5-8])$/, '4/$1') : codr;
  return reportedCodeRate(text) || '4/5';
}

function readLoRaDataRate(
  fields: JsonFields,
  path: string,
): Pick<gw.LoRaModulationInfo, 'spreadingFactor' | 'bandwidth'> {
  const [, factor, width] = loRaDataRate.exec(spoken(fields, 'datr')) ?? [];
  const spreadingFactor = Number(factor);
  const bandwidth = Number(width);
  if (!isLoRaDataRate(spreadingFactor, bandwidth)) {
    throw refusal(`${path}.datr`, 'a LoRa data-rate such as SF7BW125');
  }
  return { spreadingFactor, bandwidth };
}

function readLRFHSS(fields: JsonFields, path: string): gw.LRFHSSModulationInfo {
  const [, width] = /^M0CW(\d{2,4})$/.exec(spoken(fields, 'datr')) ?? [];
  if (!width) throw refusal(`${path}.datr`, 'an LR-FHSS data-rate such as M0CW137');
  const codeRate = lrFHSSCodeRate(fields.text('codr', ''));
  if (!codeRate) throw refusal(`${path}.codr`, 'an LR-FHSS code rate: 1/3 or 2/3');
  return {
    operatingChannelWidth: Number(width) * 1000,
    codeRate,
    gridSteps: fields.integerIfValid('hpw', uint32) ?? 0,
  };
}

function refusal(field: string, wanted: string): PacketError {
  return new PacketError('field', `${field} must be ${wanted}`, field);
}

export function formatLoRa(info: gw.LoRaModulationInfo): ModulationFields {
  return { modu: 'LORA', datr: `SF${info.spreadingFactor}BW${info.bandwidth}`, codr: info.codeRate };
}

/** The reverse of `readUplinkModulation`; `hpw` is for LR-FHSS. @throws PacketError when none is set */
export function formatUplinkModulation(txInfo: UplinkModulation): ModulationFields & { readonly hpw?: number } {
  if (txInfo.loRaModulationInfo) return formatLoRa(txInfo.loRaModulationInfo);
  if (txInfo.fskModulationInfo) return { modu: 'FSK', datr: txInfo.fskModulationInfo.datarate };
  const lrFHSS = txInfo.lrFHSSModulationInfo;
  if (!lrFHSS) throw refusal('txInfo', 'given with its modulation');
  return {
    modu: 'LR-FHSS',
    datr: `M0CW${lrFHSS.operatingChannelWidth / 1000}`,
    codr: spokenLRFHSSCodeRates[lrFHSS.codeRate] ?? lrFHSS.codeRate,
    hpw: lrFHSS.gridSteps,
  };
}

/** Converts MHz with six decimals to whole Hz. */
export function readFrequency(fields: JsonFields, path: string): number {
  const hertz = nominalFrequency(Math.round(fields.number('freq') * 1e6));
  if (!isFrequency(hertz)) {
    throw refusal(`${path}.freq`, 'a frequency of LoRaWAN in MHz');
  }
  return hertz;
}
