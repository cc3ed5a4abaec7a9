import { notFound } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import type { RowOf } from '../../database/tables.ts';

/** What rehearsals and moves know of a device. */
export interface DeviceFacts {
  devEUI: string;
  applicationID: string;
  organizationID: number;
  serviceProfileID: string;
  networkServerID: number;
  deviceProfileID: string;
  deviceProfileName: string;
  tags: Record<string, string>;
  variables: Record<string, string>;
}

export async function factsOfDevices({ query }: Database, devEUIs: readonly string[]): Promise<DeviceFacts[]> {
  const rows = await query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
    .select(['device.dev_eui', 'device.application_id', 'device.device_profile_id', 'device.tags', 'device.variables'])
    .select(['application.organization_id', 'application.service_profile_id'])
    .select(['device_profile.network_server_id', 'device_profile.name as profile_name'])
    .where('device.dev_eui', 'in', devEUIs)
    .execute();
  return rows.map((row) => ({
    devEUI: row.dev_eui,
    applicationID: String(row.application_id),
    organizationID: row.organization_id,
    serviceProfileID: row.service_profile_id,
    networkServerID: row.network_server_id,
    deviceProfileID: row.device_profile_id,
    deviceProfileName: row.profile_name,
    tags: row.tags,
    variables: row.variables,
  }));
}

type OwnersOfDevice = Omit<DeviceFacts, 'tags' | 'variables'>;

const ownersByEUI = statement<
  RowOf<'device', 'application_id' | 'device_profile_id'> &
    RowOf<'application', 'organization_id' | 'service_profile_id'> &
    RowOf<'device_profile', 'network_server_id'> & { profile_name: string }
>()({
  sql: `select device.application_id, device.device_profile_id, application.organization_id,
      application.service_profile_id, device_profile.network_server_id, device_profile.name as profile_name
    from device
    inner join application on application.id = device.application_id
    inner join device_profile on device_profile.id = device.device_profile_id
    where device.dev_eui = $devEUI`,
  given: { devEUI: 'text' },
  batch: {},
});

/** What a device belongs to. Throws `notFound` when there is none. */
export async function ownersOfDevice(database: Database, devEUI: string): Promise<OwnersOfDevice> {
  const row = await ownersByEUI(database).first({ devEUI });
  if (!row) throw notFound('device', devEUI);
  return {
    devEUI,
    applicationID: String(row.application_id),
    organizationID: row.organization_id,
    serviceProfileID: row.service_profile_id,
    networkServerID: row.network_server_id,
    deviceProfileID: row.device_profile_id,
    deviceProfileName: row.profile_name,
  };
}
