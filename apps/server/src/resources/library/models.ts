import { createHash } from 'node:crypto';
import {
  type CodecVector,
  complete,
  DeviceProfile,
  type LibraryModel,
  type LibraryModelListItem,
  notFound,
  refusal,
} from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { ModelFirmware, ModelProfile } from '../../device-library/catalogue-types.ts';
import { type GenericModel, genericModels, genericVendor } from '../../device-library/generic-models.ts';
import type { Context } from '../../http/call.ts';
import { loadVectors } from '../device-profile/codec-vectors.ts';
import { profileDefaultsRoutes } from '../device-profile/defaults.ts';
import { type DeviceProfileRoutesDependencies, deviceProfileRoutes } from '../device-profile/routes.ts';
import { declaredEverywhere, declaredInRegion } from './managed-fields.ts';
import { loadCodecs, loadLicense, loadModelRow, loadVendor, type ModelDetails, type ModelRow } from './store.ts';

export type LibraryModelsDependencies = Omit<DeviceProfileRoutesDependencies, 'written'>;

/** A firmware version with the contents of its codec. */
export interface LoadedFirmware extends Pick<ModelFirmware, 'version' | 'profiles'> {
  payloadCodec: string;
  payloadDecoderScript: string;
  payloadEncoderScript: string;
  copyright: string;
  vectors: readonly CodecVector[];
  vectorCount: number;
  passCount: number;
}

type Described = Omit<LibraryModel, 'firmwares' | keyof Counts | 'regions'>;
type Counts = Pick<LibraryModelListItem, 'vectorCount' | 'passCount'>;

/** A model with everything that device-profiles are created from. */
export interface LoadedModel extends Described {
  firmwares: readonly LoadedFirmware[];
}

const noCodec = {
  payloadCodec: '',
  payloadDecoderScript: '',
  payloadEncoderScript: '',
  copyright: '',
  vectors: [],
  vectorCount: 0,
  passCount: 0,
} as const;

const undescribed = { vendorID: 0, homepage: '', productURL: '', documentationURL: '', license: '' } as const;

function describeGeneric({ id, name, description }: GenericModel): Described {
  return { ...undescribed, id, source: 'GENERIC', vendor: genericVendor, name, description };
}

export function genericListItem(model: GenericModel): LibraryModelListItem {
  const { id, source, vendor, name, description, vendorID } = describeGeneric(model);
  return { id, source, vendor, name, description, vendorID, regions: [], vectorCount: 0, passCount: 0 };
}

/** Loads a model of the catalogue, of this program, or of this installation. Throws `notFound`. */
export async function loadModel(needs: LibraryModelsDependencies, id: string, context: Context): Promise<LoadedModel> {
  const generic = genericModels.find((model) => model.id === id);
  if (generic) {
    const { firmware, payloadCodec } = generic;
    return { ...describeGeneric(generic), firmwares: [{ ...noCodec, ...firmware, payloadCodec }] };
  }
  const row = await loadModelRow(needs.database, id);
  if (!row) throw notFound('model', id);
  return row.device_profile_id === null
    ? loadCatalogueModel(needs.database, row)
    : loadPublishedModel(needs, row, row.device_profile_id, context);
}

async function loadCatalogueModel(database: Database, row: ModelRow): Promise<LoadedModel> {
  const { productURL, documentationURL, firmwares } = JSON.parse(row.details) as ModelDetails;
  const codecs = await loadCodecs(database, [...new Set(firmwares.map(({ codec }) => codec))]);
  const vendor = await loadVendor(database, row.vendor);
  const license = vendor?.license || (await loadLicense(database));
  return {
    ...describeRow(row, 'CATALOGUE'),
    homepage: vendor?.homepage ?? '',
    productURL,
    documentationURL,
    license,
    firmwares: firmwares.map(({ version, codec, profiles }) => {
      const stored = codecs.get(codec);
      if (!stored) return { ...noCodec, version, profiles };
      const { script, copyright, vectors, vector_count, pass_count } = stored;
      return {
        ...noCodec,
        version,
        profiles,
        payloadCodec: 'CUSTOM_JS',
        payloadDecoderScript: script,
        copyright,
        vectors: JSON.parse(vectors) as CodecVector[],
        vectorCount: vector_count,
        passCount: pass_count,
      };
    }),
  };
}

async function loadPublishedModel(
  needs: LibraryModelsDependencies,
  row: ModelRow,
  deviceProfileID: string,
  context: Context,
): Promise<LoadedModel> {
  const { deviceProfile } = await deviceProfileRoutes(needs).get({ id: deviceProfileID }, context);
  const vectors = await loadVectors(needs.database, deviceProfileID);
  const { networkServerID } = deviceProfile;
  const usual = await profileDefaultsRoutes(needs).get({ networkServerID }, context);
  const { payloadCodec, payloadDecoderScript, payloadEncoderScript } = deviceProfile;
  const profiles: ModelProfile[] = [
    {
      id: 'region',
      region: usual.deviceProfile.rfRegion,
      vendorProfileID: 0,
      deviceProfile: declaredInRegion(deviceProfile),
    },
    { id: 'any', region: '', vendorProfileID: 0, deviceProfile: declaredEverywhere(deviceProfile) },
  ];
  const codec = { payloadCodec, payloadDecoderScript, payloadEncoderScript };
  return {
    ...describeRow(row, 'INSTALLATION'),
    firmwares: [{ ...noCodec, ...codec, version: '', profiles, vectors, vectorCount: vectors.length }],
  };
}

function describeRow(row: ModelRow, source: Described['source']): Described {
  const { id, vendor_name: vendor, vendor_id: vendorID, name, description } = row;
  return { ...undescribed, id, source, vendor, vendorID, name, description };
}

export function toLibraryModel(model: LoadedModel): LibraryModel {
  const { firmwares, ...described } = model;
  const regions = firmwares.flatMap(({ profiles }) => profiles.map(({ region }) => region));
  return {
    ...described,
    regions: regions.includes('') ? [] : [...new Set(regions)],
    vectorCount: sumOf(firmwares, 'vectorCount'),
    passCount: sumOf(firmwares, 'passCount'),
    firmwares: firmwares.map(({ profiles, vectors, ...firmware }) => ({
      ...firmware,
      vectors: [...vectors],
      profiles: profiles.map((profile) => ({
        ...profile,
        deviceProfile: complete(DeviceProfile, profile.deviceProfile),
      })),
    })),
  };
}

const sumOf = (firmwares: readonly LoadedFirmware[], name: keyof Counts) =>
  firmwares.reduce((sum, firmware) => sum + firmware[name], 0);

/** What a device-profile is created from: one firmware version of a model in one region. */
export interface ChosenProfile {
  firmware: LoadedFirmware;
  profile: ModelProfile;
}

interface Choice {
  /** Empty, or no longer there: the newest one. */
  version: string;
  /** Empty, or no longer there: the first one of the region. */
  profileID: string;
  region: string;
}

/** Throws when the model has no profile for the region. */
export function chooseProfile({ firmwares }: LoadedModel, { version, profileID, region }: Choice): ChosenProfile {
  const firmware = firmwares.find((one) => one.version === version) ?? firmwares.at(-1)!;
  const fitting = firmware.profiles.filter((one) => one.region === region || one.region === '');
  const profile = fitting.find(({ id }) => id === profileID) ?? fitting[0];
  if (!profile) throw refusal('LIBRARY_NO_REGION', { region });
  return { firmware, profile };
}

/** Changes with everything that an update would change. */
export function digestOf({ firmware, profile }: ChosenProfile): string {
  const { payloadCodec, payloadDecoderScript, payloadEncoderScript } = firmware;
  const declared = JSON.stringify([payloadCodec, payloadDecoderScript, payloadEncoderScript, profile.deviceProfile]);
  return createHash('sha256').update(declared).digest('hex').slice(0, 32);
}
