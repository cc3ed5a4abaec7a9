/** Steps that class B and class C share: dropping and sending an item. */
import { buildDownlinkFrame } from '../downlink/downlink-frame.ts';
import { send } from '../downlink/send.ts';
import type { ReceiveWindow } from '../downlink/windows.ts';
import { possibleFrame } from '../downlink/within-duty-cycle.ts';
import type { Network } from '../network/network.ts';
import type { DueClaim } from '../state/due.ts';
import type { MulticastGroupRecord } from '../state/records.ts';
import type { MulticastItem, Write } from '../state/state.ts';
import { sealGroupFrame } from './group-frame.ts';
import { limitOf } from './limit.ts';
import { frequencyOf } from './send-times.ts';
import { frameOverhead } from './stagger.ts';

const mostAttempts = 3;

/** The write that drops an item which can never be sent, or null. */
export function writeIfUnsendable(network: Network, group: MulticastGroupRecord, item: MulticastItem): Write | null {
  const reason = dropReasonOf(network, group, item);
  if (!reason) return null;
  const { groupID, gatewayID, fCnt } = item;
  network.count('multicast_dropped', { reason });
  network.log.info({ groupID, gatewayID, fCnt, reason }, 'A downlink of a multicast-group was given up.');
  return { kind: 'deleteMulticastItem', itemID: item };
}

function dropReasonOf(network: Network, group: MulticastGroupRecord, item: MulticastItem) {
  if (item.frmPayload.length > limitOf(network, group)) return 'too-large';
  if (item.attempts >= mostAttempts) return 'unanswered';
  const isGone = network.multicastOrder.isGone(item.gatewayID, network.gateways.has(item.gatewayID));
  // Items that waited for others, or for storage, are late as well.
  if (network.clock.now().getTime() <= item.until) return null;
  if (isGone) return 'gateway-away';
  return maySend(network, group, item) ? null : 'duty-cycle';
}

/** Whether its gateway may send it within its duty cycle, or its limits are not kept. */
export function maySend(network: Network, group: MulticastGroupRecord, item: MulticastItem): boolean {
  const frame = possibleFrame(network, windowOf(network, group, item), frameOverhead + item.frmPayload.length);
  return network.dutyCycle.among([item], [frame]).length > 0;
}

function windowOf({ region }: Network, group: MulticastGroupRecord, { pingSlotAt }: MulticastItem): ReceiveWindow {
  const timing = pingSlotAt === null ? ('immediately' as const) : { atGpsMs: pingSlotAt };
  return { frequency: frequencyOf(region, group, pingSlotAt), dr: group.dr, timing };
}

/** The item after it was sent, to be stored before; it is due again without an answer of its gateway. */
export function afterSending({ clock, settings }: Network, item: MulticastItem): MulticastItem {
  const now = clock.now().getTime();
  return { ...item, attempts: item.attempts + 1, at: now + settings.downlinkTimeoutMs, setAt: now };
}

/**
 * Commits that the item is sent, and when the next work is due. `false`: a peer sends it, because this claim took
 * longer than its lease, or one of `more` was refused.
 */
export function commitSend(
  { state, isShared }: Network,
  claim: DueClaim,
  sentItem: MulticastItem,
  next: number | null,
  ...more: Write[]
): Promise<boolean> {
  const settle = { kind: 'settleDue', claim, next, isGuarded: isShared } as const;
  return state.commit({ writes: [...more, { kind: 'updateMulticastItem', item: sentItem }, settle], effects: [] });
}

export function transmit(network: Network, group: MulticastGroupRecord, item: MulticastItem): void {
  const phyPayload = sealGroupFrame(group, item);
  const window = windowOf(network, group, item);
  const frame = buildDownlinkFrame(network, { ...item, context: '' }, [{ window, phyPayload }]);
  const { groupID, gatewayID, fCnt } = item;
  send(network, { frame, devAddr: group.mcAddr, itemID: { groupID, gatewayID, fCnt } });
}
