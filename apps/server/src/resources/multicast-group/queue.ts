import { type MulticastQueueItem, notFound, refusal } from '@hilltop/contract';
import { cryptFRMPayload } from '@hilltop/lorawan';
import type { ns } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import { uuidBytes } from '../../identifiers.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { DownlinkQueueSettings } from '../../network/settings.ts';
import type { Secrets } from '../../secrets.ts';
import { createKeyedSerializer } from '../keyed-serializer.ts';
import { type GroupWithOwners, loadGroup, lockGroup, mcAppSKeyPurpose } from './store.ts';

export interface MulticastQueueDependencies {
  config: DownlinkQueueSettings;
  database: Database;
  networks: Networks;
  secrets: Secrets;
}

/** The queue of a group. Items wait at the network server, encrypted here with the McAppSKey. */
export function multicastQueue({ config, database, networks, secrets }: MulticastQueueDependencies) {
  // A remote network server is called outside of the transaction, where nothing else serializes two items.
  const oneByOne = createKeyedSerializer();
  const keyOf = ({ id, mc_app_s_key }: GroupWithOwners) => secrets.open(mc_app_s_key, mcAppSKeyPurpose(id));

  async function atNetwork(group: GroupWithOwners) {
    const network = await networks.of(group.network_server_id);
    const { multicastGroup } = await network.getMulticastGroup({ id: uuidBytes(group.id) });
    if (!multicastGroup) throw notFound('multicast-group', group.id);
    return { network, known: multicastGroup };
  }

  const waiting = async (network: ns.NetworkServerService, id: string) =>
    (await network.getMulticastQueueItemsForMulticastGroup({ multicastGroupId: uuidBytes(id) })).multicastQueueItems;

  /** Call it in a transaction that locks the group, so that no two items get the same frame counter. */
  async function queue({ multicastGroupID: id, fPort, data }: MulticastQueueItem): Promise<number> {
    await lockGroup(database, id);
    const group = await loadGroup(database, id);
    const { network, known } = await atNetwork(group);
    const most = config.queueItems;
    if ((await waiting(network, id)).length >= most) throw refusal('GROUP_QUEUE_FULL', { most });
    const { fCnt, mcAddr } = known;
    const frameID = { devAddr: mcAddr.toHex(), fCnt, direction: 'down' } as const;
    const frmPayload = cryptFRMPayload(keyOf(group), frameID, Uint8Array.fromBase64(data ?? ''));
    await network.enqueueMulticastQueueItem({
      multicastQueueItem: { multicastGroupId: uuidBytes(id), fCnt, fPort, frmPayload },
    });
    return fCnt;
  }

  return {
    /** Resolves with the frame counter of the item. */
    enqueue: (item: MulticastQueueItem): Promise<number> =>
      oneByOne(item.multicastGroupID, () => database.transaction(() => queue(item))),

    list: async (id: string): Promise<MulticastQueueItem[]> => {
      const group = await loadGroup(database, id);
      const { network, known } = await atNetwork(group);
      const key = keyOf(group);
      const devAddr = known.mcAddr.toHex();
      return (await waiting(network, id)).map(({ fCnt, fPort, frmPayload }) => {
        const data = cryptFRMPayload(key, { devAddr, fCnt, direction: 'down' }, frmPayload);
        return { multicastGroupID: id, fCnt, fPort, data: data.length === 0 ? null : data.toBase64() };
      });
    },

    flush: async (id: string): Promise<void> => {
      const { network_server_id } = await loadGroup(database, id);
      const network = await networks.of(network_server_id);
      await network.flushMulticastQueueForMulticastGroup({ multicastGroupId: uuidBytes(id) });
    },
  };
}
