/** Class B: sends the queued items of a multicast group at one gateway, each before its ping slot. */
import { gpsTimeOf } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { DueClaim } from '../state/due.ts';
import type { MulticastGroupRecord } from '../state/records.ts';
import type { MulticastItem, Write } from '../state/state.ts';
import { multicastKeyOf, multicastQueueOf, recheckMs, scheduleMulticast } from './due-work.ts';
import { givenUp, leave, leaving, transmit } from './leave.ts';
import { byClockNow, handOverAt, slotAnew } from './leave-times.ts';

/** A gateway accepts a frame for a slot at least so long before it. */
const leastHandOverMs = 500;

/** Sends the next item if it is time, and settles for the time after that. */
export async function serveGroupQueue(network: Network, claim: DueClaim): Promise<void> {
  const { state, clock, gateways, multicastCooldowns: rests } = network;
  const lane = multicastQueueOf(claim);
  const settle = async (next: number | null, ...writes: Write[]) =>
    void (await state.commit({ writes: [...writes, { kind: 'settleDue', claim, next }], effects: [] }));
  const stored = await state.nextMulticast(lane);
  const group = stored && (await state.get('multicastGroup', lane.groupID));
  if (!stored || !group) return await settle(null);

  const now = clock.now().getTime();
  // A row of an earlier version, in which class C had one row for each group and gateway.
  if (stored.pingSlotAt === null) return await settle(null, scheduleMulticast(stored, now));
  const item = byClockNow(stored, now);
  if (item !== stored) return await settle(item.at, { kind: 'updateMulticastItem', item });
  if (item.at > now) return await settle(item.at);
  const end = givenUp(network, group, item);
  if (end) return await settle(now, end);
  const timed = inTime(network, group, item);
  if (timed !== item) return await settle(timed.at, { kind: 'updateMulticastItem', item: timed });
  if (!gateways.has(lane.gatewayID)) return await settle(now + recheckMs);

  const left = leaving(network, item);
  if (!(await leave(network, claim, left, left.at))) return;
  rests.begin(multicastKeyOf(item), stored.pingSlotAt - gpsTimeOf(clock.now()));
  transmit(network, group, item);
}

/** The same item, or one with another slot when its own has passed or a downlink before it has it. */
function inTime(network: Network, group: MulticastGroupRecord, item: MulticastItem): MulticastItem {
  const busyMs = network.multicastCooldowns.left(multicastKeyOf(item));
  const slot = item.pingSlotAt ?? 0;
  if (slot > gpsTimeOf(network.clock.now()) + Math.max(leastHandOverMs, busyMs)) return item;
  const pingSlotAt = slotAnew(network, group, busyMs);
  return { ...item, pingSlotAt, at: handOverAt(pingSlotAt) };
}
