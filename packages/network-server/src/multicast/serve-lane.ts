/** What waits for a multicast-group at one gateway: the next of it leaves when its time has come. */
import { gpsTimeOf } from '@hilltop/lorawan';
import { buildDownlinkFrame } from '../downlink/downlink-frame.ts';
import { send } from '../downlink/send.ts';
import type { Network } from '../network.ts';
import type { DueClaim } from '../state/due.ts';
import type { MulticastGroupRecord } from '../state/records.ts';
import type { MulticastItem, Write } from '../state/state.ts';
import { sealGroupFrame } from './group-frame.ts';
import { keyOf, laneOf } from './lane.ts';
import { byClockNow, frequencyOf, handOverAt, slotAnew } from './leave-times.ts';
import { limitOf } from './limit.ts';

const mostAttempts = 3;
/** A gateway that is away is looked for again after this time. */
const recheckMs = 5000;
/** A gateway takes a frame for a slot at least so long before it. */
const leastHandOverMs = 500;

/** Sends the next item if it is time, and settles for the time after that. */
export async function serveLane(network: Network, claim: DueClaim): Promise<void> {
  const { state, gateways, clock } = network;
  const lane = laneOf(claim);
  const settle = async (next: number | null, ...writes: Write[]) =>
    void (await state.commit({ writes: [...writes, { kind: 'settleDue', claim, next }], effects: [] }));
  const stored = await state.nextMulticast(lane);
  const group = stored && (await state.get('multicastGroup', lane.groupID));
  if (!stored || !group) return await settle(null);

  const now = clock.now().getTime();
  const item = byClockNow(stored, now);
  if (item !== stored) return await settle(item.at, { kind: 'updateMulticastItem', item });
  if (item.at > now) return await settle(item.at);
  const reason = hopeless(network, group, item, now);
  if (reason) {
    network.count('multicast_dropped', { reason });
    network.log.info({ ...lane, fCnt: item.fCnt, reason }, 'A downlink of a multicast-group was given up.');
    return await settle(now, { kind: 'deleteMulticastItem', place: item });
  }
  const timed = inTime(network, group, item);
  if (timed !== item) return await settle(timed.at, { kind: 'updateMulticastItem', item: timed });
  const pauseMs = pauseLeft(network, item);
  if (pauseMs > 0) return await settle(now + pauseMs);
  if (!gateways.has(lane.gatewayID)) return await settle(now + recheckMs);

  const at = now + network.settings.downlinkTimeoutMs;
  const left = { ...item, attempts: item.attempts + 1, at, setAt: now };
  await settle(left.at, { kind: 'updateMulticastItem', item: left });
  beginPauses(network, item);
  transmit(network, group, item);
}

/** Why an item will never leave, or null. */
function hopeless(network: Network, group: MulticastGroupRecord, item: MulticastItem, now: number) {
  if (item.frmPayload.length > limitOf(network, group)) return 'too-large';
  if (item.attempts >= mostAttempts) return 'unanswered';
  return now > item.until ? 'gateway-away' : null;
}

/** The same item, or one with another slot when its own has passed or a downlink before it has it. */
function inTime(network: Network, group: MulticastGroupRecord, item: MulticastItem): MulticastItem {
  if (item.pingSlotAt === null) return item;
  const busyMs = network.rests.left(keyOf(item));
  if (item.pingSlotAt > gpsTimeOf(network.clock.now()) + Math.max(leastHandOverMs, busyMs)) return item;
  const pingSlotAt = slotAnew(network, group, busyMs);
  return { ...item, pingSlotAt, at: handOverAt(pingSlotAt) };
}

/** Class C: gateways have pauses, and so has a group. */
function pauseLeft({ rests }: Network, { pingSlotAt, gatewayID, groupID }: MulticastItem): number {
  return pingSlotAt === null ? Math.max(rests.left(gatewayID), rests.left(groupID)) : 0;
}

function beginPauses({ rests, settings, clock }: Network, item: MulticastItem): void {
  if (item.pingSlotAt !== null) return rests.begin(keyOf(item), item.pingSlotAt - gpsTimeOf(clock.now()));
  for (const id of [item.gatewayID, item.groupID]) rests.begin(id, settings.multicastGatewayDelayMs);
}

function transmit(network: Network, group: MulticastGroupRecord, item: MulticastItem): void {
  const phyPayload = sealGroupFrame(group, item);
  const timing = item.pingSlotAt === null ? ('immediately' as const) : { atGpsMs: item.pingSlotAt };
  const window = { frequency: frequencyOf(network.region, group, item.pingSlotAt), dr: group.dr, timing };
  const frame = buildDownlinkFrame(network, { ...item, context: '' }, [{ window, phyPayload }]);
  const { groupID, gatewayID, fCnt } = item;
  send(network, { frame, devAddr: group.mcAddr, place: { groupID, gatewayID, fCnt } });
}
