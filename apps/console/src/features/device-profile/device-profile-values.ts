import type { DeviceProfile } from '@hilltop/contract';
import { formatNumbers, parseNumbers } from '../../components/form/number-list.ts';

/** A device-profile as the form edits it: the interval as seconds, the frequencies as text. */
export type DeviceProfileValues = Omit<Partial<DeviceProfile>, 'uplinkInterval' | 'factoryPresetFreqs'> & {
  uplinkInterval: number | '';
  factoryPresetFreqs: string;
};

/** Without the timeouts of class B and C: the user enters them with the class. */
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
