import type { DeviceProfile } from '@hilltop/contract';
import { formatNumbers, parseNumbers } from '../../components/form/number-list.ts';

/** A device-profile as form values: the interval in seconds, the frequencies as text. */
export type DeviceProfileValues = Omit<Partial<DeviceProfile>, 'uplinkInterval' | 'factoryPresetFreqs'> & {
  uplinkInterval: number | '';
  factoryPresetFreqs: string;
};

/** The timeouts of classes B and C are empty: the user enters them when enabling the class. */
export const emptyDeviceProfile: Partial<DeviceProfile> = {
  name: '',
  networkServerID: '',
  macVersion: '',
  regParamsRevision: '',
  adrAlgorithmID: 'default',
  maxEIRP: 0,
  uplinkInterval: '86400s',
  supportsJoin: true,
  rxDelay1: 0,
  rxDROffset1: 0,
  rxDataRate2: 0,
  rxFreq2: 0,
  factoryPresetFreqs: [],
  supportsClassB: false,
  pingSlotPeriod: 32,
  pingSlotDR: 0,
  pingSlotFreq: 0,
  supportsClassC: false,
  payloadCodec: '',
  payloadEncoderScript: '',
  payloadDecoderScript: '',
  tags: {},
};

export function toValues({
  uplinkInterval,
  factoryPresetFreqs = [],
  ...profile
}: Partial<DeviceProfile>): DeviceProfileValues {
  return {
    ...profile,
    uplinkInterval: uplinkInterval ? Number.parseFloat(uplinkInterval) : '',
    factoryPresetFreqs: formatNumbers(factoryPresetFreqs),
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
    factoryPresetFreqs: parseNumbers(factoryPresetFreqs),
  };
}

const codecNames: Record<string, string> = { '': 'None', CAYENNE_LPP: 'Cayenne LPP', CUSTOM_JS: 'JavaScript' };

/** The codec in at most two words. */
export const codecName = (codec: string): string => codecNames[codec] ?? codec;

/** "A, C": every device has class A. */
export const classesText = (can: Pick<DeviceProfile, 'supportsClassB' | 'supportsClassC'>): string =>
  ['A', can.supportsClassB && 'B', can.supportsClassC && 'C'].filter(Boolean).join(', ');
