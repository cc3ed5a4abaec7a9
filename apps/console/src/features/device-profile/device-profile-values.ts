import type { DeviceProfile } from '@hilltop/contract';

/** A device-profile as the form edits it: the interval as seconds, the frequencies as text. */
export type DeviceProfileValues = Omit<Partial<DeviceProfile>, 'uplinkInterval' | 'factoryPresetFreqs'> & {
  uplinkInterval: number | '';
  factoryPresetFreqs: string;
};

export const emptyDeviceProfile: DeviceProfileValues = {
  name: '',
  networkServerID: '',
  macVersion: '',
  regParamsRevision: '',
  adrAlgorithmID: 'default',
  maxEIRP: 0,
  uplinkInterval: 86_400,
  supportsJoin: true,
  rxDelay1: 0,
  rxDROffset1: 0,
  rxDataRate2: 0,
  rxFreq2: 0,
  factoryPresetFreqs: '',
  supportsClassB: false,
  classBTimeout: 0,
  pingSlotPeriod: 32,
  pingSlotDR: 0,
  pingSlotFreq: 0,
  supportsClassC: false,
  classCTimeout: 0,
  payloadCodec: '',
  payloadEncoderScript: '',
  payloadDecoderScript: '',
  tags: {},
};

export function toValues(deviceProfile: DeviceProfile): DeviceProfileValues {
  return {
    ...deviceProfile,
    uplinkInterval: deviceProfile.uplinkInterval === null ? '' : Number.parseFloat(deviceProfile.uplinkInterval),
    factoryPresetFreqs: deviceProfile.factoryPresetFreqs.join(', '),
  };
}

export function fromValues({
  uplinkInterval,
  factoryPresetFreqs,
  ...values
}: DeviceProfileValues): Partial<DeviceProfile> {
  return {
    ...values,
    uplinkInterval: uplinkInterval === '' ? null : `${uplinkInterval}s`,
    factoryPresetFreqs: parseFrequencies(factoryPresetFreqs),
  };
}

/** "868100000, 868300000" as numbers in Hz. */
export const parseFrequencies = (text: string): number[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => Number.parseInt(part, 10));

export const frequenciesProblem = (text: string): string | null =>
  /^\s*\d+\s*(,\s*\d+\s*)*$/.test(text) ? null : 'List whole numbers in Hz, separated by commas: 868100000, 868300000.';
