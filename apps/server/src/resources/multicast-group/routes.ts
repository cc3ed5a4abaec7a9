import { type MulticastGroup, notFound, type Operations, operations } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Handlers } from '../../http/call.ts';
import { toFilterID, uuidBytes } from '../../identifiers.ts';
import { mayAlsoSend } from '../../identity/access.ts';
import { applicationLimit } from '../../identity/visibility.ts';
import { refuseBeyondLimit } from '../record-limits.ts';
import { addMember, removeMember } from './members.ts';
import { fromNetworkForm, toNetworkForm } from './network-form.ts';
import { type MulticastQueueDependencies, multicastQueue } from './queue.ts';
import { removeMulticastGroup } from './remove.ts';
import {
  type GroupWithOwners,
  insertGroup,
  listMulticastGroups,
  loadApplicationOfGroup,
  loadGroup,
  lockGroup,
  mcAppSKeyPurpose,
  updateGroup,
} from './store.ts';

interface MulticastGroupRoutesDependencies extends MulticastQueueDependencies {
  routingProfileID: Uint8Array;
  clock: Clock;
}

type MulticastGroupHandlers = Handlers<Operations['multicastGroup']>;

/**
 * Groups of devices that receive the same downlinks. Name, application and application key are stored here, the radio
 * settings at the network server of the application's service-profile. Both are written in one transaction.
 */
export function multicastGroupRoutes(needs: MulticastGroupRoutesDependencies): MulticastGroupHandlers {
  return { ...groupHandlers(needs), ...memberHandlers(needs), ...queueHandlers(needs) };
}

function groupHandlers(
  needs: MulticastGroupRoutesDependencies,
): Pick<MulticastGroupHandlers, 'list' | 'get' | 'create' | 'update' | 'delete'> {
  const { database, networks, clock, secrets, routingProfileID } = needs;

  /** The columns that are stored here and can be changed. */
  const toRow = (id: string, { name, mcAppSKey }: MulticastGroup) => ({
    name,
    mc_app_s_key: secrets.seal(Uint8Array.fromHex(mcAppSKey), mcAppSKeyPurpose(id)),
    updated_at: clock.now(),
  });

  return {
    list: ({ organizationID, applicationID, ...filter }, { principal }) =>
      listMulticastGroups(database, {
        organizationID: toFilterID(organizationID),
        applicationID: toFilterID(applicationID),
        within: applicationLimit(principal),
        ...filter,
      }),

    get: async ({ id }, { principal }) => {
      const row = await loadGroup(database, id);
      const group = await readGroup(needs, row);
      const showsKeys = await mayAlsoSend(needs, operations.multicastGroup.get, { id }, principal);
      return {
        multicastGroup: showsKeys ? group : { ...group, mcNwkSKey: '', mcAppSKey: '' },
        createdAt: row.created_at.toISOString(),
        updatedAt: row.updated_at.toISOString(),
      };
    },

    create: ({ multicastGroup }) => {
      const id = crypto.randomUUID();
      const row = { id, ...toRow(id, multicastGroup) };
      return database.transaction(async () => {
        const { id: application_id } = await loadApplicationOfGroup(database, multicastGroup.applicationID);
        await refuseBeyondLimit(database, 'multicast_group', { owner: 'application', id: application_id });
        await insertGroup(database, { ...row, application_id, created_at: row.updated_at });
        const { network_server_id, service_profile_id } = await loadGroup(database, id);
        const network = await networks.of(network_server_id);
        const references = { id, serviceProfileID: service_profile_id, routingProfileID };
        await network.createMulticastGroup({ multicastGroup: toNetworkForm(multicastGroup, references) });
        return { id };
      });
    },

    update: ({ multicastGroup }) => {
      const { id } = multicastGroup;
      const changes = toRow(id, multicastGroup);
      return database.transaction(async () => {
        await lockGroup(database, id);
        const row = await loadGroup(database, id);
        const before = await readGroup(needs, row);
        await updateGroup(database, id, changes);
        const network = await networks.of(row.network_server_id);
        const references = { id, serviceProfileID: row.service_profile_id, routingProfileID };
        await network.updateMulticastGroup({
          multicastGroup: { ...toNetworkForm(multicastGroup, references), fCnt: nextFCnt(before, multicastGroup) },
        });
        // Queued items were encrypted with the previous key.
        if (before.mcAppSKey !== multicastGroup.mcAppSKey)
          await network.flushMulticastQueueForMulticastGroup({ multicastGroupId: uuidBytes(id) });
        return {};
      });
    },

    delete: ({ id }) =>
      database.transaction(async () => {
        await removeMulticastGroup(needs, id);
        return {};
      }),
  };
}

async function readGroup(
  { networks, secrets }: Pick<MulticastGroupRoutesDependencies, 'networks' | 'secrets'>,
  row: GroupWithOwners,
): Promise<MulticastGroup> {
  const network = await networks.of(row.network_server_id);
  const { multicastGroup } = await network.getMulticastGroup({ id: uuidBytes(row.id) });
  if (!multicastGroup) throw notFound('multicast-group', row.id);
  return {
    id: row.id,
    name: row.name,
    applicationID: String(row.application_id),
    mcAppSKey: secrets.open(row.mc_app_s_key, mcAppSKeyPurpose(row.id)).toHex(),
    ...fromNetworkForm(multicastGroup),
  };
}

function memberHandlers(
  needs: MulticastGroupRoutesDependencies,
): Pick<MulticastGroupHandlers, 'addDevice' | 'removeDevice'> {
  const { database } = needs;
  return {
    addDevice: ({ multicastGroupID, devEUI }) =>
      database.transaction(async () => {
        await addMember(needs, multicastGroupID, devEUI);
        return {};
      }),

    removeDevice: ({ multicastGroupID, devEUI }) =>
      database.transaction(async () => {
        await removeMember(needs, multicastGroupID, devEUI);
        return {};
      }),
  };
}

function queueHandlers(
  needs: MulticastGroupRoutesDependencies,
): Pick<MulticastGroupHandlers, 'listQueue' | 'enqueue' | 'flushQueue'> {
  const queue = multicastQueue(needs);
  return {
    listQueue: async ({ multicastGroupID }) => ({ multicastQueueItems: await queue.list(multicastGroupID) }),
    enqueue: async ({ multicastQueueItem }) => ({ fCnt: await queue.enqueue(multicastQueueItem) }),
    flushQueue: async ({ multicastGroupID }) => {
      await queue.flush(multicastGroupID);
      return {};
    },
  };
}

/**
 * Two payloads encrypted with the same key and counter reveal each other: an outdated form must not decrease the
 * counter.
 */
function nextFCnt(before: MulticastGroup, after: MulticastGroup): number {
  const isSpent = before.mcAddr === after.mcAddr && before.mcAppSKey === after.mcAppSKey;
  return isSpent ? Math.max(before.fCnt, after.fCnt) : after.fCnt;
}
