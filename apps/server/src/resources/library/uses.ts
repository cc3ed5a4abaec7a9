import type { Operations, ResponseOf } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Context } from '../../http/call.ts';
import { toApiError } from '../../http/errors.ts';
import { applyUpdate, type LibraryUse } from './derived-profile.ts';
import { digestOf, type LibraryModelsDependencies, type LoadedModel } from './models.ts';

const mostUses = 10_000;

export interface ProfileOfModel {
  use: LibraryUse;
  deviceProfileID: string;
  name: string;
  organizationID: string;
  organizationName: string;
}

/** The device-profiles that were created from a model, by organization and name. */
export async function listUses({ query }: Database, modelID: string): Promise<ProfileOfModel[]> {
  const rows = await query
    .selectFrom('library_use')
    .innerJoin('device_profile', 'device_profile.id', 'library_use.device_profile_id')
    .innerJoin('organization', 'organization.id', 'device_profile.organization_id')
    .selectAll('library_use')
    .select(['device_profile.name', 'device_profile.organization_id', 'organization.name as organization_name'])
    .where('model_id', '=', modelID)
    .orderBy('organization.name')
    .orderBy('device_profile.name')
    .limit(mostUses)
    .execute();
  return rows.map(({ name, organization_id, organization_name, ...use }) => ({
    use,
    deviceProfileID: use.device_profile_id,
    name,
    organizationID: String(organization_id),
    organizationName: organization_name,
  }));
}

/** Whether the model has changed since a device-profile was created from it or updated. */
export function isOutdated(model: LoadedModel, { version, profile_id, digest }: LibraryUse): boolean {
  const firmware = model.firmwares.find((one) => one.version === version) ?? model.firmwares.at(-1)!;
  const profile = firmware.profiles.find(({ id }) => id === profile_id) ?? firmware.profiles[0]!;
  return digestOf({ firmware, profile }) !== digest;
}

/** Updates device-profiles one after the other: one that cannot be updated does not stop the others. */
export async function updateEach(
  needs: LibraryModelsDependencies,
  modelID: string,
  deviceProfileIDs: readonly string[],
  context: Context,
): Promise<ResponseOf<Operations['library']['updateProfiles']>> {
  const known = new Set((await listUses(needs.database, modelID)).map(({ deviceProfileID }) => deviceProfileID));
  const problems: { deviceProfileID: string; text: string }[] = [];
  let updatedCount = 0;
  for (const deviceProfileID of new Set(deviceProfileIDs)) {
    if (!known.has(deviceProfileID)) {
      problems.push({ deviceProfileID, text: 'It was not created from this model.' });
      continue;
    }
    try {
      await applyUpdate(needs, deviceProfileID, context);
      updatedCount += 1;
    } catch (error) {
      problems.push({ deviceProfileID, text: toApiError(error).message });
    }
  }
  return { updatedCount, problems };
}
