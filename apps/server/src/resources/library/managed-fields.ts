import type { DeviceProfile } from '@hilltop/contract';

/** The fields of a device-profile that depend on the region of its network server. */
const radioFields = [
  'rxDelay1',
  'rxDROffset1',
  'rxDataRate2',
  'rxFreq2',
  'factoryPresetFreqs',
  'pingSlotDR',
  'pingSlotFreq',
  'maxEIRP',
] as const satisfies readonly (keyof DeviceProfile)[];

const otherFields = [
  'macVersion',
  'regParamsRevision',
  'supportsJoin',
  'supportsClassB',
  'classBTimeout',
  'pingSlotPeriod',
  'supportsClassC',
  'classCTimeout',
] as const satisfies readonly (keyof DeviceProfile)[];

export const codecFields = [
  'payloadCodec',
  'payloadDecoderScript',
  'payloadEncoderScript',
] as const satisfies readonly (keyof DeviceProfile)[];

/** The fields that a model declares and an update of the library changes. */
export const managedFields = [...otherFields, ...radioFields, ...codecFields] as const;

function pick(profile: DeviceProfile, fields: readonly (keyof DeviceProfile)[]): Partial<DeviceProfile> {
  return Object.fromEntries(fields.map((field) => [field, profile[field]]));
}

/** What a published device-profile declares in its own region. */
export const declaredInRegion = (profile: DeviceProfile): Partial<DeviceProfile> =>
  pick(profile, [...otherFields, ...radioFields]);

/** What it declares in every other region. */
export const declaredEverywhere = (profile: DeviceProfile): Partial<DeviceProfile> => pick(profile, otherFields);
