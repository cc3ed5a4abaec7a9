import {
  airtime,
  beaconPeriodSeconds,
  dateOfGpsTime,
  gpsTimeOf,
  modulationOf,
  nextPingSlot,
  pingSlotFrequency,
} from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { DeviceSession } from '../state/session.ts';
import type { QueueItem } from '../state/state.ts';
import type { Listener, SendOpportunity } from './listener.ts';
import { windowsOverAt } from './windows.ts';

/** How far ahead a slot is chosen. */
const slotAheadMs = 5000;
/** How long before its slot a gateway gets a frame; after a delay at least this long. */
const handOverMs = 2000;
const leastHandOverMs = 500;
/** No slot is chosen later than this after the previous one; a later one comes from a wrong clock. */
const furthestMs = 3 * beaconPeriodSeconds * 1000;

/** The longest frame that was sent in time has ended by then; a time further ahead comes from a wrong clock. */
const latestEndMs = 7000;

/**
 * Class B (LoRaWAN 1.0.4 §12): each item has a ping slot, one after the other. A slot is chosen again when it has
 * passed, when the device does not have it any more, and when it comes before the end of the windows after the last
 * uplink: the response there may have an earlier counter. `null`: the device has not reported how many slots it opens.
 */
export function classBSlot({ network, session }: Listener, queue: readonly QueueItem[]): SendOpportunity | null {
  if (session.pingSlotNb === 0) return null;
  const items = slotted({ network, session }, queue);
  const slot = items[0]?.pingSlotAt;
  if (typeof slot !== 'number') return null;
  const onAirAt = dateOfGpsTime(slot).getTime();
  const frequency = session.pingSlotFrequency || pingSlotFrequency(network.region, session.devAddr, beaconBefore(slot));
  const window = { frequency, dr: session.pingSlotDR, timing: { atGpsMs: slot } };
  return { from: onAirAt - handOverMs, onAirAt, window, items };
}

/**
 * The end of the last downlink to a device, if it is in the future. Its gateway already has it: a downlink that the
 * device receives before it has a later counter, so the device would drop the one in the slot.
 */
export function lastSlotEnd({ clock }: Network, { lastDownlinkAt }: DeviceSession): number | null {
  const now = clock.now().getTime();
  return lastDownlinkAt !== null && lastDownlinkAt > now && lastDownlinkAt <= now + latestEndMs ? lastDownlinkAt : null;
}

/** Milliseconds since 1970: when a frame of so many bytes that begins in its slot is over. */
export function slotEnd({ region }: Network, { window, onAirAt }: SendOpportunity, length: number): number {
  return onAirAt + Math.ceil(airtime(length, modulationOf(region, window.dr), 'down'));
}

function slotted({ network, session }: Pick<Listener, 'network' | 'session'>, queue: readonly QueueItem[]) {
  const now = gpsTimeOf(network.clock.now());
  let last = Math.max(now + leastHandOverMs, gpsTimeOf(new Date(windowsOverAt(network, session))));
  return queue.map((item): QueueItem => {
    const { pingSlotAt } = item;
    const isAhead = pingSlotAt !== null && pingSlotAt > last && pingSlotAt < last + furthestMs;
    if (isAhead && isSlotOf(session, pingSlotAt)) {
      last = pingSlotAt;
      return item;
    }
    last = nextPingSlot(session.devAddr, Math.max(now + slotAheadMs, last), session.pingSlotNb);
    return { ...item, pingSlotAt: last };
  });
}

function isSlotOf({ devAddr, pingSlotNb }: DeviceSession, gpsMs: number): boolean {
  return nextPingSlot(devAddr, gpsMs - 1, pingSlotNb) === gpsMs;
}

function beaconBefore(gpsMs: number): number {
  return Math.floor(gpsMs / 1000 / beaconPeriodSeconds) * beaconPeriodSeconds;
}
