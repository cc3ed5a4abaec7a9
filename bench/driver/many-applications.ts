import type { Client } from '@hilltop/contract/client';
import { deviceOf, type Fleet } from './fleet.ts';
import { forEach, type Ground } from './ground.ts';

/**
 * So many applications beside that of the ground, among which the devices of a fleet are dealt out in turn. Each has the
 * name of its first device, so that several fleets of a server can be dealt out.
 */
export async function dealOut(client: Client, ground: Ground, fleet: Fleet, count: number): Promise<string[]> {
  const { application } = await client.application.get({ id: ground.applicationID });
  const { organizationID, serviceProfileID } = application;
  const applicationIDs: string[] = [];
  await forEach(count, async (index) => {
    const own = { name: `bench-${fleet.devEUIs[index]}`, description: 'bench', organizationID, serviceProfileID };
    applicationIDs[index] = (await client.application.create({ application: own })).id;
  });
  await forEach(fleet.devEUIs.length, async (index) => {
    const own = { ...ground, applicationID: applicationIDs[index % count]! };
    await client.device.update({ device: deviceOf(fleet.devEUIs[index]!, own, ground.profiles.personalized) });
  });
  return applicationIDs;
}
