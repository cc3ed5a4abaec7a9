import type { DueWork } from '../state/due.ts';
import type { MulticastItem, MulticastLane, Write } from '../state/state.ts';

/** A gateway that is away is looked for again after this time. */
export const recheckMs = 5000;

/** The work of sending what waits: in class B for a group at one gateway, in class C for all groups at one gateway. */
export function askForLane(
  { groupID, gatewayID, pingSlotAt }: MulticastLane & Pick<MulticastItem, 'pingSlotAt'>,
  at: number,
): Write {
  const key = keyOf({ groupID: pingSlotAt === null ? anyGroup : groupID, gatewayID });
  return { kind: 'askDue', work: { kind: 'multicast', key }, at };
}

const anyGroup = '';

export const isOfGateway = ({ key }: DueWork) => key.startsWith('/');

export const keyOf = ({ groupID, gatewayID }: MulticastLane) => `${groupID}/${gatewayID}`;

export function laneOf({ key }: DueWork): MulticastLane {
  const [groupID = '', gatewayID = ''] = key.split('/');
  return { groupID, gatewayID };
}
