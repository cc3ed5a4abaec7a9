import type { Bus } from '../../bus/bus.ts';
import type { Principals } from '../../identity/principals.ts';
import { type DeviceRemovalDependencies, removeDevicesOf } from '../device/remove.ts';
import { removeGroupsOf } from '../multicast-group/remove.ts';

export interface ApplicationRemovalDependencies extends DeviceRemovalDependencies {
  bus: Bus;
  principals: Principals;
}

/**
 * Removes an application with its devices and multicast-groups, here and at the network server. Those go first, a slice
 * at a time, and the application with what came meanwhile: when the network server fails, what is left can be removed
 * again.
 */
export async function removeApplication(needs: ApplicationRemovalDependencies, id: number): Promise<void> {
  const { database, principals, bus } = needs;
  await removeGroupsOf(needs, id);
  await removeDevicesOf(needs, id);
  await database.transaction(async () => {
    await removeGroupsOf(needs, id);
    await removeDevicesOf(needs, id);
    const { query } = database;
    const keys = await query.selectFrom('api_key').select('id').where('application_id', '=', id).execute();
    for (const key of keys) principals.changed(key.id);
    const certificates = query.selectFrom('client_certificate').select('serial').where('application_id', '=', id);
    for (const { serial } of await certificates.execute()) principals.changed(serial);
    await query.deleteFrom('application').where('id', '=', id).execute();
    database.afterCommit(() => bus.publish('integration-changed', '', { applicationID: id }));
  });
}
