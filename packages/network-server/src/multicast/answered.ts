import type { gw } from '@hilltop/protobuf';
import type { GroupTransmission } from '../downlink/transmissions.ts';
import type { Network } from '../network.ts';
import { askForLane } from './lane.ts';

/** The gateway has sent a downlink of a group, or refused it: either way it is done there, and the next one may leave. */
export async function noteGroupAnswer(
  network: Network,
  { place }: GroupTransmission,
  status: gw.TxAckStatus,
): Promise<void> {
  const { state, clock } = network;
  if (status !== 'OK') {
    network.count('multicast_refused', { status });
    network.log.info({ ...place, status }, 'A gateway refused a downlink of a multicast-group.');
  }
  await state.commit({ writes: [{ kind: 'deleteMulticastItem', place }], effects: [] });
  const next = await state.nextMulticast(place);
  if (next) await state.commit({ writes: [askForLane(next, clock.now().getTime())], effects: [] });
}
