import { defaultUplinkChannels, eirpCodes, type Region, rx1Offsets, rx2Defaults } from '@hilltop/lorawan';
import type { Settings } from './settings.ts';

/** A problem of one setting; `field` is its path, such as `extraChannels[1].frequency`. */
export interface SettingsProblem {
  field: string;
  /** A sentence for the user. */
  description: string;
}

/** The part of the RX1 delay for the network and the concentrator. */
const wayMs = 300;

/** Why these settings cannot work in a region; empty when they can. */
export function settingsProblems(region: Region, settings: Settings): SettingsProblem[] {
  return [
    ...extraChannelProblems(region, settings),
    ...enabledChannelProblems(region, settings),
    ...windowProblems(region, settings),
    ...powerProblems(region, settings),
    ...dataRateProblems(region, settings),
  ];
}

function extraChannelProblems(region: Region, { extraChannels }: Settings): SettingsProblem[] {
  const { name, channelPlan } = region;
  const own = defaultUplinkChannels(region);
  if (extraChannels.length > 0 && channelPlan === 'fixed')
    return [at('extraChannels', `All channels of ${name} are defined: switch them on and off instead.`)];
  const most = region.maxUplinkChannels - own.length;
  if (extraChannels.length > most)
    return [at('extraChannels', `Devices know ${region.maxUplinkChannels} channels, so ${most} can be added.`)];
  const before = new Set(own.map(({ frequency }) => frequency));
  return extraChannels.flatMap(({ frequency, minDR, maxDR }, position) => {
    const field = `extraChannels[${position}]`;
    const isTwice = before.has(frequency);
    before.add(frequency);
    const missing = [minDR, maxDR].find((dataRate) => !region.dataRates[dataRate]?.uplink);
    return [
      ...frequencyProblems(region, `${field}.frequency`, frequency),
      ...(isTwice ? [at(`${field}.frequency`, 'There is a channel on this frequency already.')] : []),
      ...(missing === undefined ? [] : [at(`${field}.maxDR`, `Devices in ${name} have no data-rate ${missing}.`)]),
      ...(minDR > maxDR ? [at(`${field}.maxDR`, 'Must not be below the lowest data-rate.')] : []),
    ];
  });
}

function enabledChannelProblems(region: Region, { enabledChannels, extraChannels }: Settings): SettingsProblem[] {
  if (enabledChannels === null) return [];
  const known = new Set(defaultUplinkChannels(region).map(({ index }) => index));
  for (const position of extraChannels.keys()) known.add(defaultUplinkChannels(region).length + position);
  const unknown = enabledChannels.find((index) => !known.has(index));
  if (unknown !== undefined) return [at('enabledChannels', `There is no channel ${unknown}.`)];
  if (new Set(enabledChannels).size !== enabledChannels.length)
    return [at('enabledChannels', 'Each channel can be named once.')];
  // A device begins with any data-rate: without a channel for the slowest one, most devices would never be received.
  const isReachable = defaultUplinkChannels(region).some(({ index, minDR }) => {
    return minDR === region.uplinkDataRates[0] && enabledChannels.includes(index);
  });
  return isReachable ? [] : [at('enabledChannels', 'Leave at least one channel on with which devices can join.')];
}

function windowProblems(region: Region, settings: Settings): SettingsProblem[] {
  const { rx1Delay, rx1DROffset, rx2DataRate, rx2Frequency } = settings;
  const { deduplicationDelayMs, getDownlinkDataDelayMs } = settings;
  const most = rx1Offsets(region) - 1;
  const left = Math.max(rx1Delay, 1) * 1000 - wayMs;
  return [
    ...(rx1DROffset > most ? [at('rx1DROffset', `The offset in ${region.name} is from 0 to ${most}.`)] : []),
    ...downlinkProblems(region, 'rx2DataRate', rx2DataRate ?? rx2Defaults(region).dataRate),
    ...frequencyProblems(region, 'rx2Frequency', rx2Frequency ?? rx2Defaults(region).frequency),
    ...(deduplicationDelayMs + getDownlinkDataDelayMs > left
      ? [at('getDownlinkDataDelayMs', `Collecting and waiting may take ${left} ms together: then comes RX1.`)]
      : []),
  ];
}

function powerProblems(region: Region, settings: Settings): SettingsProblem[] {
  const { downlinkTxPower, uplinkMaxEIRP, adrMinTxPower, uplinkDwellTime400ms, downlinkDwellTime400ms } = settings;
  const most = mostDownlinkPower(region);
  const problems: SettingsProblem[] = [];
  if (downlinkTxPower !== null && downlinkTxPower > most)
    problems.push(at('downlinkTxPower', `Gateways in ${region.name} may send with ${most} dBm at most.`));
  if (uplinkMaxEIRP !== null && (uplinkMaxEIRP < eirpCodes[0] || uplinkMaxEIRP > region.maxEIRP))
    problems.push(at('uplinkMaxEIRP', `Devices in ${region.name} may use ${eirpCodes[0]} to ${region.maxEIRP} dBm.`));
  if (adrMinTxPower !== null && adrMinTxPower > region.maxEIRP)
    problems.push(at('adrMinTxPower', `Devices in ${region.name} may use ${region.maxEIRP} dBm at most.`));
  if (region.txParamSetup.length > 0) return problems;
  const problem = `Devices in ${region.name} cannot receive this: the region has no TXParamSetupReq.`;
  if (uplinkMaxEIRP !== null) problems.push(at('uplinkMaxEIRP', problem));
  if (uplinkDwellTime400ms) problems.push(at('uplinkDwellTime400ms', problem));
  if (downlinkDwellTime400ms) problems.push(at('downlinkDwellTime400ms', problem));
  return problems;
}

function dataRateProblems(region: Region, settings: Settings): SettingsProblem[] {
  const { adrMinDR, adrMaxDR, classBPingSlotDR } = settings;
  const missing = (field: 'adrMinDR' | 'adrMaxDR') =>
    settings[field] === null || region.dataRates[settings[field]]?.uplink
      ? []
      : [at(field, `Devices in ${region.name} have no data-rate ${settings[field]}.`)];
  return [
    ...missing('adrMinDR'),
    ...missing('adrMaxDR'),
    ...(adrMinDR !== null && adrMaxDR !== null && adrMinDR > adrMaxDR
      ? [at('adrMaxDR', 'Must not be below the lowest data-rate.')]
      : []),
    ...downlinkProblems(region, 'classBPingSlotDR', classBPingSlotDR ?? region.pingSlot.dataRate),
    ...(['classBPingSlotFrequency', 'classBBeaconFrequency'] as const).flatMap((field) =>
      settings[field] === 0 ? [] : frequencyProblems(region, field, settings[field]),
    ),
  ];
}

/** dBm EIRP: the highest that any part of the band allows. */
export function mostDownlinkPower({ downlinkTxPower, subBands }: Region): number {
  return Math.floor(Math.max(...downlinkTxPower.map(({ power }) => power), ...subBands.map(({ maxEIRP }) => maxEIRP)));
}

function downlinkProblems(region: Region, field: string, dataRate: number): SettingsProblem[] {
  if (region.dataRates[dataRate]?.downlink) return [];
  const downlinks = Object.keys(region.dataRates).filter((known) => region.dataRates[Number(known)]?.downlink);
  return [at(field, `Must be a data-rate for downlinks in ${region.name}: ${downlinks.join(', ')}.`)];
}

/** Commands carry frequencies in steps of 100 Hz, those of 2.4 GHz in steps of 200 Hz. */
function frequencyProblems({ name, frequencyRange: [from, to] }: Region, field: string, frequency: number) {
  if (frequency < from || frequency > to) {
    const [least, most] = [from / 1e6, to / 1e6];
    return [at(field, `Must lie between ${least} and ${most} MHz in ${name}.`)];
  }
  const step = from < 2_000_000_000 ? 100 : 200;
  return frequency % step === 0 ? [] : [at(field, `Must be a multiple of ${step} Hz.`)];
}

function at(field: string, description: string): SettingsProblem {
  return { field, description };
}
