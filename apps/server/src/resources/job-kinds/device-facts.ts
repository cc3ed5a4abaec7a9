import { notFound } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';

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

/** Throws `notFound` when there is none. */
export async function factsOfDevice(database: Database, devEUI: string): Promise<DeviceFacts> {
  const [facts] = await factsOfDevices(database, [devEUI]);
  if (!facts) throw notFound('device', devEUI);
  return facts;
}
