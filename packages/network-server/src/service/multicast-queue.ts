import type { ns } from '@hilltop/protobuf';
import { enqueueMulticast } from '../multicast/enqueue.ts';
import type { Network } from '../network/network.ts';
import { notFound, required, toUUID } from './identifiers.ts';

type Methods =
  | 'enqueueMulticastQueueItem'
  | 'flushMulticastQueueForMulticastGroup'
  | 'getMulticastQueueItemsForMulticastGroup';

/** Downlinks for multicast-groups, waiting encrypted at the gateways that send them. */
export function multicastQueueMethods(network: Network): Pick<ns.NetworkServerService, Methods> {
  const { state } = network;

  async function groupOf(id: Uint8Array) {
    const groupID = toUUID(id, 'multicast-group');
    const group = await state.get('multicastGroup', groupID);
    if (!group) throw notFound('multicast-group');
    return { groupID, group };
  }

  return {
    async enqueueMulticastQueueItem(request) {
      const { multicastGroupId, ...item } = required(request.multicastQueueItem, 'queue item');
      const { groupID, group } = await groupOf(multicastGroupId);
      await enqueueMulticast(network, group, { groupID, ...item });
      return {};
    },
    async flushMulticastQueueForMulticastGroup({ multicastGroupId }) {
      const { groupID } = await groupOf(multicastGroupId);
      await state.commit({ writes: [{ kind: 'flushMulticastQueue', groupID }], effects: [] });
      return {};
    },
    async getMulticastQueueItemsForMulticastGroup({ multicastGroupId }) {
      const { groupID } = await groupOf(multicastGroupId);
      const queue = await state.multicastQueue(groupID);
      // Several gateways send the same.
      const different = new Map(queue.map((item) => [item.fCnt, item]));
      const multicastQueueItems = [...different.values()].map(({ fCnt, fPort, frmPayload }) => {
        return { multicastGroupId, fCnt, fPort, frmPayload };
      });
      return { multicastQueueItems };
    },
  };
}
