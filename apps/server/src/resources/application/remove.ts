import type { Bus } from '../../bus/bus.ts';
import type { Principals } from '../../identity/principals.ts';
import { applicationSubject } from '../../statistics/subjects.ts';
import { type DeviceRemovalDependencies, removeDevicesOfApplication } from '../device/remove.ts';
import { removeGroupsOfApplication } from '../multicast-group/remove.ts';

export interface ApplicationRemovalDependencies extends DeviceRemovalDependencies {
  bus: Bus;
  principals: Principals;
}

/**
 * Removes an application with its devices and multicast-groups, here and at the network server: these first, batch by
 * batch, then the application with those added meanwhile. When the network server fails, the rest can be removed by
 * another call.
 */
export async function removeApplication(needs: ApplicationRemovalDependencies, id: number): Promise<void> {
  const { database, principals, bus, statistics } = needs;
  await removeGroupsOfApplication(needs, id);
  await removeDevicesOfApplication(needs, id);
  await database.transaction(async () => {
    await removeGroupsOfApplication(needs, id);
    await removeDevicesOfApplication(needs, id);
    const { query } = database;
    const keys = await query.selectFrom('api_key').select('id').where('application_id', '=', id).execute();
    for (const key of keys) principals.changed(key.id);
    const certificates = query.selectFrom('client_certificate').select('serial').where('application_id', '=', id);
    for (const { serial } of await certificates.execute()) principals.changed(serial);
    await query.deleteFrom('application').where('id', '=', id).execute();
    await statistics.remove([applicationSubject(id)]);
    database.afterCommit(() => bus.publish('integration-changed', '', { applicationID: id }));
  });
}
