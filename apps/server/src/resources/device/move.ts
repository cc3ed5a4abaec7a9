import { notFound, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import type { RowOf } from '../../database/tables.ts';
import { toRowID } from '../../identifiers.ts';

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

const targetByID = statement<
  RowOf<'application', 'id' | 'organization_id' | 'service_profile_id'> & RowOf<'service_profile', 'network_server_id'>
>()({
  sql: `select application.id, application.organization_id, application.service_profile_id,
      service_profile.network_server_id
    from application
    inner join service_profile on service_profile.id = application.service_profile_id
    where application.id = $id`,
  given: { id: 'int8' },
  batch: {},
});

/** Throws `notFound` when there is no such application. */
export async function loadMoveTarget(database: Database, applicationID: string): Promise<MoveTarget> {
  const target = await findMoveTarget(database, applicationID);
  if (!target) throw notFound('application', applicationID);
  return target;
}

export async function findMoveTarget(database: Database, applicationID: string): Promise<MoveTarget | undefined> {
  const row = await targetByID(database).first({ id: toRowID(applicationID) });
  return (
    row && {
      applicationID: row.id,
      organizationID: row.organization_id,
      serviceProfileID: row.service_profile_id,
      networkServerID: row.network_server_id,
    }
  );
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
