import { notFound } from '@hilltop/contract';
import type { Bus } from '../../bus/bus.ts';
import type { Principals } from '../../identity/principals.ts';
import { applicationSubject } from '../../statistics/subjects.ts';
import { type DeviceRemovalDependencies, removeDevicesOfApplication } from '../device/remove.ts';
import { removeGroupsOfApplication } from '../multicast-group/remove.ts';
import type { Deletion } from '../trash/trash.ts';
import { lockApplication } from './store.ts';

export interface ApplicationRemovalDependencies extends DeviceRemovalDependencies {
  bus: Bus;
  principals: Principals;
}

/**
 * Removes an application with its devices and multicast-groups, here and at the network server: these first, batch by
 * batch, then the application with those added meanwhile. When the network server fails, the rest can be removed by
 * another call. All of it goes to the trash with the record whose deletion this is: the application or its organization.
 */
export async function removeApplication(
  needs: ApplicationRemovalDependencies,
  id: number,
  deletion: Deletion,
): Promise<void> {
  const { database, principals, bus, statistics, trash } = needs;
  // Devices first: they are restored last, when the groups that they belong to exist.
  await removeDevicesOfApplication(needs, id, deletion);
  await removeGroupsOfApplication(needs, id, deletion);
  await database.transaction(async () => {
    await removeDevicesOfApplication(needs, id, deletion);
    await removeGroupsOfApplication(needs, id, deletion);
    if (!(await lockApplication(database, id))) {
      // Another call has removed it.
      if (deletion.kind === 'APPLICATION') throw notFound('application', String(id));
      return;
    }
    const { query } = database;
    const integrations = await query.selectFrom('integration').select('id').where('application_id', '=', id).execute();
    const integrationIDs = integrations.map((integration) => String(integration.id));
    await trash.add(deletion, 'INTEGRATION', integrationIDs);
    await trash.add(deletion, 'APPLICATION', [String(id)]);
    const keys = await query.selectFrom('api_key').select('id').where('application_id', '=', id).execute();
    for (const key of keys) principals.changed(key.id);
    const certificates = query.selectFrom('client_certificate').select('serial').where('application_id', '=', id);
    for (const { serial } of await certificates.execute()) principals.changed(serial);
    await query.deleteFrom('application').where('id', '=', id).execute();
    await statistics.remove([applicationSubject(id)]);
    if (deletion.kind === 'APPLICATION') await trash.complete(deletion);
    database.afterCommit(() => bus.publish('integration-changed', '', { applicationID: id }));
  });
}
