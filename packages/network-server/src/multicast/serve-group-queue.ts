/** Class B: sends the queued items of a multicast group at one gateway, each before its ping slot. */
import { gpsTimeOf } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { DueClaim } from '../state/due.ts';
import type { MulticastGroupRecord } from '../state/records.ts';
import type { MulticastItem, Write } from '../state/state.ts';
import { dutyCycleRecheckMs, multicastKeyOf, multicastQueueOf, recheckMs, scheduleMulticast } from './due-work.ts';
import { afterSending, commitSend, maySend, transmit, writeIfUnsendable } from './send-item.ts';
import { handOverAt, nextSlot, withCorrectedClock } from './send-times.ts';

/** A gateway accepts a frame for a slot at least this long before it. */
const leastHandOverMs = 500;

/** Sends the next item if it is time, and settles for the time after that. */
export async function serveGroupQueue(network: Network, claim: DueClaim): Promise<void> {
  const { state, clock, gateways, multicastCooldowns: cooldowns } = network;
  const queue = multicastQueueOf(claim);
  const settle = async (next: number | null, ...writes: Write[]) =>
    void (await state.commit({ writes: [...writes, { kind: 'settleDue', claim, next }], effects: [] }));
  const stored = await state.nextMulticast(queue);
  const group = stored && (await state.get('multicastGroup', queue.groupID));
  if (!stored || !group) return await settle(null);

  const now = clock.now().getTime();
  // A row of an earlier version, in which class C had one row for each group and gateway.
  if (stored.pingSlotAt === null) return await settle(null, scheduleMulticast(stored, now));
  const item = withCorrectedClock(stored, now);
  if (item !== stored) return await settle(item.at, { kind: 'updateMulticastItem', item });
  if (item.at > now) return await settle(item.at);
  const end = writeIfUnsendable(network, group, item);
  if (end) return await settle(now, end);
  const timed = inTime(network, group, item);
  if (timed !== item) return await settle(timed.at, { kind: 'updateMulticastItem', item: timed });
  if (!gateways.has(queue.gatewayID)) return await settle(now + recheckMs);
  if (!maySend(network, group, item)) {
    network.count('downlinks_without_duty_cycle');
    return await settle(now + dutyCycleRecheckMs);
  }

  const sentItem = afterSending(network, item);
  if (!(await commitSend(network, claim, sentItem, sentItem.at))) return;
  cooldowns.begin(multicastKeyOf(item), stored.pingSlotAt - gpsTimeOf(clock.now()));
  transmit(network, group, item);
}

/** The same item, or one with another slot when its own has passed or an earlier downlink uses it. */
function inTime(network: Network, group: MulticastGroupRecord, item: MulticastItem): MulticastItem {
  const busyMs = network.multicastCooldowns.remainingMs(multicastKeyOf(item));
  const slot = item.pingSlotAt ?? 0;
  if (slot > gpsTimeOf(network.clock.now()) + Math.max(leastHandOverMs, busyMs)) return item;
  const pingSlotAt = nextSlot(network, group, busyMs);
  return { ...item, pingSlotAt, at: handOverAt(pingSlotAt) };
}
