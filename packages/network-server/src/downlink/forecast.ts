import { dateOfGpsTime } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { DeviceSession } from '../state/session.ts';
import { freeAt } from './class-c.ts';
import { isFor } from './queue.ts';

/** How a device listens, and when the first of its queued downlinks is sent, if that is known. */
export interface DownlinkForecast {
  mode: DeviceSession['mode'];
  /** Milliseconds since 1970; null: the queue is empty, or the item waits for an uplink. */
  nextAt: number | null;
  /** The first one was sent; until `nextAt` the device can acknowledge it. */
  awaitsAcknowledgement: boolean;
}

/** `null`: the device has no session. */
export async function forecastOf(network: Network, devEUI: string): Promise<DownlinkForecast | null> {
  const { current: session, pending } = await network.state.sessions(devEUI);
  if (!session) return null;
  const { mode } = session;
  const head = (await network.state.queue(devEUI)).find((item) => isFor(session, item));
  if (!head || mode === 'A' || pending || session.receivers.length === 0)
    return { mode, nextAt: null, awaitsAcknowledgement: false };
  if (head.isPending) return { mode, nextAt: head.timeoutAt, awaitsAcknowledgement: true };
  const slotAt = head.pingSlotAt === null ? null : dateOfGpsTime(head.pingSlotAt).getTime();
  const nextAt = mode === 'B' ? slotAt : Math.max(head.notBefore ?? 0, freeAt(network, session));
  return { mode, nextAt, awaitsAcknowledgement: false };
}
