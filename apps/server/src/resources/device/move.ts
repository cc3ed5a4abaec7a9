import { refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { serviceProfiles } from '../service-profile/store.ts';
import { loadApplicationOf } from './store.ts';

/** The application that devices move to. */
export interface MoveTarget {
  applicationID: number;
  organizationID: number;
  serviceProfileID: string;
  networkServerID: number;
}

/** What decides whether and how a device can move. */
export interface MovingDevice {
  organizationID: number;
  serviceProfileID: string;
  networkServerID: number;
  deviceProfileID: string;
  deviceProfileName: string;
}

export async function loadMoveTarget(database: Database, applicationID: string): Promise<MoveTarget> {
  const application = await loadApplicationOf(database, applicationID);
  const { network_server_id } = await serviceProfiles.load(database, application.service_profile_id);
  return {
    applicationID: application.id,
    organizationID: application.organization_id,
    serviceProfileID: application.service_profile_id,
    networkServerID: network_server_id,
  };
}

/** Refuses a move that cannot work. Answers the device-profile that the device has afterwards. */
export async function profileAfterMove(
  device: MovingDevice,
  target: MoveTarget,
  chosen: Readonly<Record<string, string>>,
  ofName: (name: string) => Promise<string | undefined>,
): Promise<string> {
  if (device.organizationID === target.organizationID) {
    if (device.serviceProfileID !== target.serviceProfileID) throw refusal('OTHER_SERVICE_PROFILE');
    return device.deviceProfileID;
  }
  if (device.networkServerID !== target.networkServerID)
    throw refusal('OTHER_NETWORK_SERVER', { profile: 'service-profile' });
  const profile = chosen[device.deviceProfileID] ?? (await ofName(device.deviceProfileName));
  if (!profile) throw refusal('NO_SAME_PROFILE', { name: device.deviceProfileName });
  return profile;
}

/** The device-profile of this name in the organization of the target, on the same network server. */
export async function profileOfName(
  { query }: Database,
  { organizationID, networkServerID }: MoveTarget,
  name: string,
): Promise<string | undefined> {
  const row = await query
    .selectFrom('device_profile')
    .select('id')
    .where('organization_id', '=', organizationID)
    .where('network_server_id', '=', networkServerID)
    .where('name', '=', name)
    .orderBy('id')
    .executeTakeFirst();
  return row?.id;
}
