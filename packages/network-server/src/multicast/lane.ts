import type { DueWork } from '../state/due.ts';
import type { MulticastLane, Write } from '../state/state.ts';

/** The work of sending what waits for a group at one gateway. */
export function askForLane(lane: MulticastLane, at: number): Write {
  return { kind: 'askDue', work: { kind: 'multicast', key: keyOf(lane) }, at };
}

export const keyOf = ({ groupID, gatewayID }: MulticastLane) => `${groupID}/${gatewayID}`;

export function laneOf({ key }: DueWork): MulticastLane {
  const [groupID = '', gatewayID = ''] = key.split('/');
  return { groupID, gatewayID };
}
