import type { Network } from '../network/network.ts';
import type { DeviceSession } from '../state/session.ts';
import type { QueueItem } from '../state/state.ts';
import { inSlotUntil } from './class-b.ts';
import type { Listener, Turn } from './listener.ts';
import { windowsOverAt } from './windows.ts';

/**
 * Class C (LoRaWAN 1.0.4 §15): the device listens in RX2 all the time, except in the windows after its uplinks. One
 * item at a time, without FPending: the device opens no window for the next one.
 */
export function classCTurn({ network, session }: Listener, items: readonly QueueItem[]): Turn {
  const now = network.clock.now().getTime();
  const { rx2Frequency: frequency, rx2DataRate: dr } = session;
  const from = Math.max(now, unlockedAt(network, session));
  return { from, onAirAt: from, window: { frequency, dr, timing: 'immediately' }, items: items.slice(0, 1) };
}

/** When the windows after its last uplink are over, and the device had time for the last downlink. */
export function unlockedAt(network: Network, session: DeviceSession): number {
  const last = session.lastDownlinkAt ?? 0;
  // A time in the future is a slot, or comes from a wrong clock.
  const over = last <= network.clock.now().getTime() ? last : (inSlotUntil(network, session) ?? 0);
  return Math.max(over + network.settings.classCDownlinkLockMs, windowsOverAt(network, session));
}
