import type { ns } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import { uuidBytes } from '../../identifiers.ts';
import type { Networks } from '../../network/network-servers.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';

/** Rows per transaction: uplinks and other writes wait for it. */
const slice = 100;

/** An application, and the service-profile that its devices and groups get at their network server. */
export interface ServiceProfileChange {
  applicationID: number;
  serviceProfileID: string;
  networkServerID: number;
  /** Only those changed since then; all without it. */
  since?: Date;
}

export interface ServiceProfileChangeDependencies {
  database: Database;
  networks: Networks;
  routingProfileID: Uint8Array;
}

/**
 * Sets the service-profile of the devices and multicast-groups of an application at the network server, batch by batch.
 * It can be repeated when it fails halfway.
 */
export async function propagateServiceProfile(
  needs: ServiceProfileChangeDependencies,
  change: ServiceProfileChange,
): Promise<void> {
  for (let after: string | null = ''; after !== null; ) after = await propagateToDevices(needs, change, after);
  for (const id of await groupsOf(needs, change)) {
    await needs.database.transaction(() => propagateToGroup(needs, change, id));
  }
}

/** Whether the application has devices or groups, which a network server knows. */
export async function hasMembers(
  { database: { query } }: { database: Database },
  applicationID: number,
): Promise<boolean> {
  const device = query.selectFrom('device').select('dev_eui').where('application_id', '=', applicationID);
  const group = query.selectFrom('multicast_group').select('id').where('application_id', '=', applicationID);
  return ((await device.limit(1).executeTakeFirst()) ?? (await group.limit(1).executeTakeFirst())) !== undefined;
}

/** Updates devices after this DevEUI. Resolves with the last one, or null when there are no more. */
async function propagateToDevices(
  needs: ServiceProfileChangeDependencies,
  change: ServiceProfileChange,
  after: string,
): Promise<string | null> {
  const { database, networks, routingProfileID } = needs;
  const { applicationID, serviceProfileID, networkServerID, since } = change;
  const network = await networks.of(networkServerID);
  const devices = await database.query
    .selectFrom('device')
    .select(['dev_eui', 'updated_at'])
    .where('application_id', '=', applicationID)
    .where('dev_eui', '>', after)
    .$if(since !== undefined, (rows) => rows.where('updated_at', '>=', since!))
    .orderBy('dev_eui')
    .limit(slice)
    .execute();
  const known = new Map<string, ns.Device>();
  for (const { dev_eui } of devices) {
    const asked = network.getDevice({ devEui: Uint8Array.fromHex(dev_eui) });
    await ignoreNotFound(asked.then(({ device }) => device && known.set(dev_eui, device)));
  }
  await database.transaction(async () => {
    for (const { dev_eui, updated_at } of devices) {
      const device = known.get(dev_eui);
      const now = await database.query
        .selectFrom('device')
        .select(['application_id', 'updated_at'])
        .where('dev_eui', '=', dev_eui)
        .$if(database.kind === 'postgres', (rows) => rows.forUpdate())
        .executeTakeFirst();
      // A device that was changed or moved meanwhile is updated afterwards or not at all.
      if (!device || now?.application_id !== applicationID || +now.updated_at !== +updated_at) continue;
      const updated = { ...device, serviceProfileId: uuidBytes(serviceProfileID), routingProfileId: routingProfileID };
      await ignoreNotFound(network.updateDevice({ device: updated }));
    }
  });
  return devices.length === slice ? (devices.at(-1)?.dev_eui ?? null) : null;
}

async function groupsOf(
  { database }: { database: Database },
  { applicationID, since }: ServiceProfileChange,
): Promise<string[]> {
  const groups = database.query
    .selectFrom('multicast_group')
    .select('id')
    .where('application_id', '=', applicationID)
    .$if(since !== undefined, (rows) => rows.where('updated_at', '>=', since!));
  return (await groups.execute()).map(({ id }) => id);
}

/** The counter may have increased since it was read: the network server never decreases it. */
async function propagateToGroup(
  { networks, routingProfileID }: { networks: Networks; routingProfileID: Uint8Array },
  change: ServiceProfileChange,
  id: string,
): Promise<void> {
  const network = await networks.of(change.networkServerID);
  const { multicastGroup } = await network.getMulticastGroup({ id: uuidBytes(id) });
  if (!multicastGroup) return;
  const serviceProfileId = uuidBytes(change.serviceProfileID);
  const updated = { ...multicastGroup, serviceProfileId, routingProfileId: routingProfileID };
  await network.updateMulticastGroup({ multicastGroup: updated });
}
