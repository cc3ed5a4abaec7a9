import type { gw } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import type { GroupTransmission } from '../network/transmissions.ts';
import { scheduleMulticast } from './due-work.ts';

/**
 * Handles the result of a downlink to a group: sent or refused, it is removed at that gateway, and the next one is due.
 */
export async function handleGroupResult(
  network: Network,
  { itemID }: GroupTransmission,
  status: gw.TxAckStatus,
): Promise<void> {
  const { state, clock } = network;
  if (status !== 'OK') {
    network.count('multicast_refused', { status });
    network.log.info({ ...itemID, status }, 'A gateway refused a downlink of a multicast-group.');
  }
  await state.commit({ writes: [{ kind: 'deleteMulticastItem', itemID }], effects: [] });
  const next = await state.nextMulticast(itemID);
  if (next) await state.commit({ writes: [scheduleMulticast(next, clock.now().getTime())], effects: [] });
}
