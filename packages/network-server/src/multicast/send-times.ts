import {
  beaconPeriodSeconds,
  dateOfGpsTime,
  gpsTimeOf,
  nextPingSlot,
  pingSlotFrequency,
  type Region,
} from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { Cooldowns } from '../platform/cooldowns.ts';
import type { MulticastGroupRecord } from '../state/records.ts';
import type { MulticastItem } from '../state/state.ts';
import type { GatewaySender } from './gateways.ts';
import { staggerMs } from './stagger.ts';

/** When one gateway gets a downlink, in milliseconds since 1970, and for which ping slot, in GPS milliseconds. */
export interface PlannedSend {
  sender: GatewaySender;
  at: number;
  pingSlotAt: number | null;
}

/** How far ahead a ping slot is chosen. */
const slotAheadMs = 5000;
/** How long before its slot a gateway gets a frame. */
export const handOverMs = 2000;
const slotsPerBeaconPeriod = 4096;

/**
 * Class C: the gateways send one shortly after the other (`staggerMs`), so that a device in reach of several receives
 * each of them. A gateway pauses between two downlinks, and free gateways come first. These are the earliest times: a
 * gateway alternates between groups.
 */
export function classCSendTimes(
  network: Network,
  group: MulticastGroupRecord,
  {
    given,
    senders,
    queue,
    cooldowns,
  }: {
    given: Pick<MulticastItem, 'groupID' | 'frmPayload'>;
    senders: readonly GatewaySender[];
    queue: readonly MulticastItem[];
    cooldowns: Pick<Cooldowns, 'remainingMs'>;
  },
): PlannedSend[] {
  const now = network.clock.now().getTime();
  const pause = network.settings.multicastGatewayDelayMs;
  const stagger = staggerMs(network, group, given);
  // Items that were sent have started the cooldowns in `cooldowns`.
  const waiting = queue.filter(({ attempts }) => attempts === 0);
  const free = senders.map((sender) => {
    const before = waiting.filter(({ gatewayID }) => gatewayID === sender.gatewayID);
    const from = Math.max(now + cooldowns.remainingMs(sender.gatewayID), ...before.map(({ at }) => at + pause));
    return { sender, from };
  });
  let next = Math.max(
    now + cooldowns.remainingMs(given.groupID),
    ...waiting.map((item) => item.at + staggerMs(network, group, item)),
  );
  return free
    .sort((one, other) => one.from - other.from)
    .map(({ sender, from }) => {
      const at = Math.max(next, from);
      next = at + stagger;
      return { sender, at, pingSlotAt: null };
    });
}

/** Class B: all gateways send in the same ping slot, the first one without an earlier downlink of the group. */
export function classBSendTimes(
  { clock }: Network,
  group: MulticastGroupRecord,
  { senders, queue }: { senders: readonly GatewaySender[]; queue: readonly MulticastItem[] },
): PlannedSend[] {
  const taken = queue.map(({ pingSlotAt }) => pingSlotAt ?? 0);
  const slot = slotAfter(group, Math.max(gpsTimeOf(clock.now()) + slotAheadMs, ...taken));
  return senders.map((sender) => ({ sender, at: handOverAt(slot), pingSlotAt: slot }));
}

/** Another slot for a downlink that missed its own, later than `busyMs` from now. */
export function nextSlot({ clock }: Network, group: MulticastGroupRecord, busyMs: number): number {
  return slotAfter(group, gpsTimeOf(clock.now()) + Math.max(slotAheadMs, busyMs));
}

export function handOverAt(pingSlotAt: number): number {
  return dateOfGpsTime(pingSlotAt).getTime() - handOverMs;
}

/**
 * Corrects an item whose time was set by a clock that was ahead and has been set back since. No ping slot is that far
 * ahead.
 */
export function withCorrectedClock(item: MulticastItem, now: number): MulticastItem {
  const { setAt = 0, at, until } = item;
  if (setAt <= now) return item;
  const ahead = setAt - now;
  const pingSlotAt = item.pingSlotAt === null ? null : 0;
  return { ...item, setAt: now, at: at - ahead, until: until - ahead, pingSlotAt };
}

function slotAfter({ mcAddr, pingSlotPeriod }: MulticastGroupRecord, gpsMs: number): number {
  return nextPingSlot(mcAddr, gpsMs, slotsPerBeaconPeriod / pingSlotPeriod);
}

/** The frequency on which the devices of a group listen in a slot. */
export function frequencyOf(region: Region, { frequency, mcAddr }: MulticastGroupRecord, slot: number | null): number {
  if (frequency !== 0 || slot === null) return frequency;
  return pingSlotFrequency(region, mcAddr, Math.floor(slot / 1000 / beaconPeriodSeconds) * beaconPeriodSeconds);
}
