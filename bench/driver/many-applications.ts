import type { Client } from '@hilltop/contract/client';
import { type BaseRecords, forEach } from './base-records.ts';
import { deviceOf, type Fleet } from './fleet.ts';

/**
 * Creates applications beside the first one and distributes the devices of a fleet over them round-robin. Each
 * application is named after its first device, so that several fleets of one server can be distributed.
 */
export async function distributeOverApplications(
  client: Client,
  ground: BaseRecords,
  fleet: Fleet,
  count: number,
): Promise<string[]> {
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
