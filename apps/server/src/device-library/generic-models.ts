import type { DeviceProfile } from '@hilltop/contract';
import type { ModelFirmware } from './catalogue-types.ts';

/** A model that is part of this program: it exists without the catalogue and fits every region. */
export interface GenericModel {
  id: string;
  name: string;
  description: string;
  payloadCodec: string;
  firmware: ModelFirmware;
}

const versions = [
  { label: '1.0.2', macVersion: '1.0.2', regParamsRevision: 'B' },
  { label: '1.0.3', macVersion: '1.0.3', regParamsRevision: 'A' },
  { label: '1.0.4', macVersion: '1.0.4', regParamsRevision: 'RP002-1.0.3' },
  { label: '1.1', macVersion: '1.1.0', regParamsRevision: 'B' },
] as const;

const classes = [
  { letter: 'A', can: {}, text: 'Listens after its uplinks, as most sensors with a battery do.' },
  {
    letter: 'C',
    can: { supportsClassC: true, classCTimeout: 30 },
    text: 'Listens always, as most devices with external power do.',
  },
] as const;

const codecs = [
  { id: '', name: '', payloadCodec: '', text: '' },
  { id: '-cayenne', name: ', Cayenne LPP', payloadCodec: 'CAYENNE_LPP', text: ' Its payloads are in Cayenne LPP.' },
] as const;

/** Cayenne LPP is rare beside the older and the newest version of class C. */
const isUsual = (letter: string, codec: string, label: string) =>
  letter === 'A' || codec === '' || label === '1.0.3' || label === '1.0.4';

export const genericVendor = 'Generic';

export const genericModels: readonly GenericModel[] = classes.flatMap(({ letter, can, text }) =>
  codecs.flatMap((codec) =>
    versions
      .filter(({ label }) => isUsual(letter, codec.payloadCodec, label))
      .map(({ label, macVersion, regParamsRevision }) => {
        const deviceProfile: Partial<DeviceProfile> = { macVersion, regParamsRevision, supportsJoin: true, ...can };
        return {
          id: `generic:${letter.toLowerCase()}-${label}${codec.id}`,
          name: `Class ${letter}, LoRaWAN ${label}${codec.name}`,
          description: `${text}${codec.text}`,
          payloadCodec: codec.payloadCodec,
          firmware: {
            version: '',
            codec: '',
            profiles: [{ id: 'any', region: '', vendorProfileID: 0, deviceProfile }],
          },
        };
      }),
  ),
);
