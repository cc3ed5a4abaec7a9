/** Device-profiles that are created from models, compared, and updated. */

import type { Operations } from '@hilltop/contract';
import {
  complete,
  DeviceProfile,
  type LibraryProfileChange,
  type LibraryUpdate,
  type RequestOf,
  refusal,
} from '@hilltop/contract';
import type { Selectable } from 'kysely';
import type { Context } from '../../http/call.ts';
import { replaceVectors } from '../device-profile/codec-vectors.ts';
import { profileDefaultsRoutes } from '../device-profile/defaults.ts';
import { deviceProfileRoutes } from '../device-profile/routes.ts';
import { managedFields } from './managed-fields.ts';
import {
  type ChosenProfile,
  chooseProfile,
  digestOf,
  type LibraryModelsDependencies,
  type LoadedModel,
  loadModel,
} from './models.ts';
import type { LibraryUseTable } from './tables.ts';

export type LibraryUse = Selectable<LibraryUseTable>;

/** Tag names by which users find device-profiles that were created from a model. */
function tagsOf({ id, vendor, name }: LoadedModel, version: string): Record<string, string> {
  return { library: id, vendor, model: name, ...(version !== '' && { version }) };
}

const codeNumber = (number: number) => number.toString(16).padStart(4, '0');

/** Tags by which the code on a device finds its device-profile; none where the catalogue lacks one of the numbers. */
function codeTagsOf(
  { vendorID }: LoadedModel,
  { profile: { vendorProfileID } }: ChosenProfile,
): Record<string, string> {
  if (vendorID === 0 || vendorProfileID === 0) return {};
  return { vendorID: codeNumber(vendorID), profileID: codeNumber(vendorProfileID) };
}

/** The usual device-profile of a network server, with its region. */
async function usualProfile(
  needs: LibraryModelsDependencies,
  networkServerID: string,
  context: Context,
): Promise<DeviceProfile> {
  return (await profileDefaultsRoutes(needs).get({ networkServerID }, context)).deviceProfile;
}

/** The usual device-profile of a network server, changed by what a model declares. */
function declaredProfile(usual: DeviceProfile, { firmware, profile }: ChosenProfile): DeviceProfile {
  const { payloadCodec, payloadDecoderScript, payloadEncoderScript } = firmware;
  return complete(DeviceProfile, {
    ...usual,
    ...profile.deviceProfile,
    payloadCodec,
    payloadDecoderScript,
    payloadEncoderScript,
  });
}

/** Creates a device-profile with its codec, test vectors and tags. Resolves with its id. */
export async function createFromModel(
  needs: LibraryModelsDependencies,
  request: RequestOf<Operations['library']['createProfile']>,
  context: Context,
): Promise<string> {
  const { organizationID, networkServerID, name, modelID, version, profileID } = request;
  const model = await loadModel(needs, modelID, context);
  const usual = await usualProfile(needs, networkServerID, context);
  const chosen = chooseProfile(model, { version, profileID, region: usual.rfRegion });
  const { firmware, profile } = chosen;
  const deviceProfile: DeviceProfile = {
    ...declaredProfile(usual, chosen),
    id: '',
    name,
    organizationID,
    networkServerID,
    tags: { ...tagsOf(model, firmware.version), ...codeTagsOf(model, chosen) },
  };
  const routes = deviceProfileRoutes({
    ...needs,
    written: async (id) => {
      await replaceVectors(needs.database, id, firmware.vectors);
      const use = { model_id: modelID, version: firmware.version, profile_id: profile.id, digest: digestOf(chosen) };
      await needs.database.query
        .insertInto('library_use')
        .values({ device_profile_id: id, ...use })
        .execute();
    },
  });
  const { id } = await routes.create({ deviceProfile }, context);
  return id;
}

async function loadUse({ database }: LibraryModelsDependencies, id: string): Promise<LibraryUse | undefined> {
  return database.query.selectFrom('library_use').selectAll().where('device_profile_id', '=', id).executeTakeFirst();
}

const noUpdate: LibraryUpdate = {
  modelID: '',
  modelName: '',
  vendor: '',
  version: '',
  isAvailable: false,
  changes: [],
};

interface Comparison {
  use: LibraryUse;
  model: LoadedModel;
  chosen: ChosenProfile;
  current: DeviceProfile;
  /** The device-profile after an update. */
  updated: DeviceProfile;
}

async function compare(
  needs: LibraryModelsDependencies,
  use: LibraryUse,
  model: LoadedModel,
  context: Context,
): Promise<Comparison> {
  const { deviceProfile: current } = await deviceProfileRoutes(needs).get({ id: use.device_profile_id }, context);
  const usual = await usualProfile(needs, current.networkServerID, context);
  const chosen = chooseProfile(model, { version: use.version, profileID: use.profile_id, region: usual.rfRegion });
  const declared = declaredProfile(usual, chosen);
  const changed = Object.fromEntries(managedFields.map((field) => [field, declared[field]]));
  // The numbers on the device itself, which the user may have set, win over those of the catalogue.
  const tags = { ...codeTagsOf(model, chosen), ...current.tags, ...tagsOf(model, chosen.firmware.version) };
  return { use, model, chosen, current, updated: { ...current, ...changed, tags } };
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function changesOf({ current, updated }: Comparison): LibraryProfileChange[] {
  return managedFields
    .map((field) => ({ field, before: shown(current[field]), after: shown(updated[field]) }))
    .filter(({ before, after }) => before !== after);
}

/** What the library has for a device-profile. A model that is gone has no update. */
export async function findUpdate(
  needs: LibraryModelsDependencies,
  deviceProfileID: string,
  context: Context,
): Promise<LibraryUpdate> {
  const use = await loadUse(needs, deviceProfileID);
  const model = use && (await loadModel(needs, use.model_id, context).catch(ifGone));
  if (!model) return { ...noUpdate, modelID: use?.model_id ?? '' };
  const comparison = await compare(needs, use, model, context).catch(ifGone);
  const described = { modelID: model.id, modelName: model.name, vendor: model.vendor };
  if (!comparison) return { ...noUpdate, ...described };
  const changes = changesOf(comparison);
  const isAvailable = digestOf(comparison.chosen) !== use.digest && changes.length > 0;
  const { version } = comparison.chosen.firmware;
  return { ...described, version, isAvailable, changes: isAvailable ? changes : [] };
}

/** A model that is gone, or has no profile for the region any more. */
function ifGone(error: unknown): undefined {
  const { reason } = error as { reason?: string };
  if (reason === 'NOT_FOUND' || reason === 'LIBRARY_NO_REGION') return undefined;
  throw error;
}

/** Updates a device-profile from its model. */
export async function applyUpdate(
  needs: LibraryModelsDependencies,
  deviceProfileID: string,
  context: Context,
): Promise<void> {
  const use = await loadUse(needs, deviceProfileID);
  if (!use) throw refusal('LIBRARY_NOT_FROM_MODEL');
  const model = await loadModel(needs, use.model_id, context).catch(ifGone);
  if (!model) throw refusal('LIBRARY_NO_UPDATE');
  const { chosen, updated } = await compare(needs, use, model, context);
  const { database } = needs;
  const routes = deviceProfileRoutes({
    ...needs,
    written: async (id) => {
      await replaceVectors(database, id, chosen.firmware.vectors);
      await database.query
        .updateTable('library_use')
        .set({ version: chosen.firmware.version, profile_id: chosen.profile.id, digest: digestOf(chosen) })
        .where('device_profile_id', '=', id)
        .execute();
    },
  });
  await routes.update({ deviceProfile: updated }, context);
}
