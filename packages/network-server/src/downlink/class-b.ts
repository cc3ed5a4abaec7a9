import { beaconPeriodSeconds, dateOfGpsTime, gpsTimeOf, nextPingSlot, pingSlotFrequency } from '@hilltop/lorawan';
import type { DeviceSession } from '../state/session.ts';
import type { QueueItem } from '../state/state.ts';
import type { Listener, Turn } from './listener.ts';

/** A slot is chosen so long ahead. */
const slotAheadMs = 5000;
/** A frame is with its gateway so long before its slot, or at least so long when there was a delay. */
const handOverMs = 2000;
const leastHandOverMs = 500;

/**
 * Class B (LoRaWAN 1.0.4 §12): each item has a ping slot, one after the other. Slots that passed, or that the device does
 * not have any more, are chosen anew. `null`: the device has not said how many it opens.
 */
export function classBTurn({ network, session }: Listener, queue: readonly QueueItem[]): Turn | null {
  if (session.pingSlotNb === 0) return null;
  const items = slotted(session, queue, gpsTimeOf(network.clock.now()));
  const slot = items[0]?.pingSlotAt;
  if (typeof slot !== 'number') return null;
  const onAirAt = dateOfGpsTime(slot).getTime();
  const frequency = session.pingSlotFrequency || pingSlotFrequency(network.region, session.devAddr, beaconBefore(slot));
  const window = { frequency, dr: session.pingSlotDR, timing: { atGpsMs: slot } };
  return { from: onAirAt - handOverMs, onAirAt, window, items };
}

function slotted(session: DeviceSession, queue: readonly QueueItem[], now: number): QueueItem[] {
  let last = now + leastHandOverMs;
  return queue.map((item) => {
    const { pingSlotAt } = item;
    if (pingSlotAt !== null && pingSlotAt > last && isSlotOf(session, pingSlotAt)) {
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
