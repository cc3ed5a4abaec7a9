import type { DueWork } from '../state/due.ts';
import type { MulticastItem, MulticastQueueID, Write } from '../state/state.ts';

/** A gateway that is not connected is checked again after this time. */
export const recheckMs = 5000;
/** And one that has used up its duty cycle after this time. */
export const dutyCycleRecheckMs = 30_000;

/** Schedules a queue: in class B that of a group at one gateway, in class C those of all groups at one gateway. */
export function scheduleMulticast(
  { groupID, gatewayID, pingSlotAt }: MulticastQueueID & Pick<MulticastItem, 'pingSlotAt'>,
  at: number,
): Write {
  const key = multicastKeyOf({ groupID: pingSlotAt === null ? anyGroup : groupID, gatewayID });
  return { kind: 'askDue', work: { kind: 'multicast', key }, at };
}

const anyGroup = '';

export const isGatewayQueue = ({ key }: DueWork) => key.startsWith('/');

export const multicastKeyOf = ({ groupID, gatewayID }: MulticastQueueID) => `${groupID}/${gatewayID}`;

export function multicastQueueOf({ key }: DueWork): MulticastQueueID {
  const [groupID = '', gatewayID = ''] = key.split('/');
  return { groupID, gatewayID };
}
