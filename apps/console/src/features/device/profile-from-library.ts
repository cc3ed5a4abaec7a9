import type { DeviceLabel } from '@hilltop/lorawan/tr005';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';

/** A model of the device library, and the device-profile that is created from it. */
export interface LibraryChoice {
  modelID: string;
  /** The name of the new device-profile. */
  name: string;
  networkServerID: string;
}

/** Creates the device-profile of a model. Its tags let the next code of this kind find it. */
export async function createProfile(
  organizationID: string,
  choice: LibraryChoice,
  label: DeviceLabel | undefined,
): Promise<{ id: string; supportsJoin: boolean }> {
  const { id } = await api.library.createProfile({ organizationID, ...choice, version: '', profileID: '' });
  const { deviceProfile } = await api.deviceProfile.get({ id });
  if (label?.vendorID !== undefined && label.profileID !== undefined) {
    const { vendorID, profileID } = label;
    await api.deviceProfile.update({
      deviceProfile: { ...deviceProfile, tags: { ...deviceProfile.tags, vendorID, profileID } },
    });
  }
  await perform(Promise.resolve(), { changed: ['deviceProfile', 'library'], done: 'device-profile has been created' });
  return { id, supportsJoin: deviceProfile.supportsJoin };
}
