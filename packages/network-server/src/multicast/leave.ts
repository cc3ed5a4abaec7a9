/** What serving class B and class C has in common: giving up, and leaving. */
import { buildDownlinkFrame } from '../downlink/downlink-frame.ts';
import { send } from '../downlink/send.ts';
import type { Network } from '../network/network.ts';
import type { DueClaim } from '../state/due.ts';
import type { MulticastGroupRecord } from '../state/records.ts';
import type { MulticastItem, Write } from '../state/state.ts';
import { sealGroupFrame } from './group-frame.ts';
import { frequencyOf } from './leave-times.ts';
import { limitOf } from './limit.ts';

const mostAttempts = 3;

/** What ends an item that will never leave, or null. */
export function givenUp(network: Network, group: MulticastGroupRecord, item: MulticastItem): Write | null {
  const reason = hopeless(network, group, item);
  if (!reason) return null;
  const { groupID, gatewayID, fCnt } = item;
  network.count('multicast_dropped', { reason });
  network.log.info({ groupID, gatewayID, fCnt, reason }, 'A downlink of a multicast-group was given up.');
  return { kind: 'deleteMulticastItem', place: item };
}

function hopeless(network: Network, group: MulticastGroupRecord, item: MulticastItem) {
  if (item.frmPayload.length > limitOf(network, group)) return 'too-large';
  if (item.attempts >= mostAttempts) return 'unanswered';
  const isGone = network.multicastOrder.isGone(item.gatewayID, network.gateways.has(item.gatewayID));
  // Late are also those that waited for others, or for storage.
  return isGone && network.clock.now().getTime() > item.until ? 'gateway-away' : null;
}

/** The item as it is once it has left, to be on disk before it does; due again when its gateway says nothing. */
export function leaving({ clock, settings }: Network, item: MulticastItem): MulticastItem {
  const now = clock.now().getTime();
  return { ...item, attempts: item.attempts + 1, at: now + settings.downlinkTimeoutMs, setAt: now };
}

/**
 * Puts on disk that the item leaves, and when there is more to do. `false`: it leaves elsewhere, because this turn took
 * too long for another process to wait for it, or because one of `more` was refused.
 */
export function leave(
  { state, isShared }: Network,
  claim: DueClaim,
  left: MulticastItem,
  next: number | null,
  ...more: Write[]
): Promise<boolean> {
  const settle = { kind: 'settleDue', claim, next, isGuarded: isShared } as const;
  return state.commit({ writes: [...more, { kind: 'updateMulticastItem', item: left }, settle], effects: [] });
}

export function transmit(network: Network, group: MulticastGroupRecord, item: MulticastItem): void {
  const phyPayload = sealGroupFrame(group, item);
  const timing = item.pingSlotAt === null ? ('immediately' as const) : { atGpsMs: item.pingSlotAt };
  const window = { frequency: frequencyOf(network.region, group, item.pingSlotAt), dr: group.dr, timing };
  const frame = buildDownlinkFrame(network, { ...item, context: '' }, [{ window, phyPayload }]);
  const { groupID, gatewayID, fCnt } = item;
  send(network, { frame, devAddr: group.mcAddr, place: { groupID, gatewayID, fCnt } });
}
