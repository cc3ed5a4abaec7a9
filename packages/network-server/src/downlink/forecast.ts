import { dateOfGpsTime, rx1DataRate } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import { mayUsePending } from '../session/session-in-use.ts';
import type { DeviceSession } from '../state/session.ts';
import { freeAt } from './class-c.ts';
import { limitOf } from './limit.ts';
import { isFor } from './queue.ts';

/** How a device listens, and when the first of its queued downlinks is sent, if that is known. */
export interface DownlinkForecast {
  mode: DeviceSession['mode'];
  /** Milliseconds since 1970; null: the queue is empty, or the item waits for an uplink. */
  nextAt: number | null;
  /** The first one was sent; until `nextAt` the device can acknowledge it. */
  awaitsAcknowledgement: boolean;
  /** The longest payload that fits into a window, as far as known; 0: unknown. */
  mostBytes: number;
  /** The data-rate of that window. */
  dr: number;
}

/** `null`: the device has no session. */
export async function forecastOf(network: Network, devEUI: string): Promise<DownlinkForecast | null> {
  const sessions = await network.state.sessions(devEUI);
  const { current: session } = sessions;
  if (!session) return null;
  const { mode } = session;
  const room = await roomOf(network, session);
  const head = (await network.state.queue(devEUI)).find((item) => isFor(session, item));
  if (!head || mode === 'A' || mayUsePending(sessions) || session.receivers.length === 0)
    return { mode, nextAt: null, awaitsAcknowledgement: false, ...room };
  if (head.isPending) return { mode, nextAt: head.timeoutAt, awaitsAcknowledgement: true, ...room };
  const slotAt = head.pingSlotAt === null ? null : dateOfGpsTime(head.pingSlotAt).getTime();
  const nextAt = mode === 'B' ? slotAt : Math.max(head.notBefore ?? 0, freeAt(network, session));
  return { mode, nextAt, awaitsAcknowledgement: false, ...room };
}

/** The widest window in which the device listens, if it goes on with the data-rate of its last uplink. */
async function roomOf(network: Network, session: DeviceSession): Promise<{ mostBytes: number; dr: number }> {
  const device = await network.state.get('device', session.devEUI);
  const deviceProfile = device && (await network.state.get('deviceProfile', device.deviceProfileID));
  if (!deviceProfile) return { mostBytes: 0, dr: 0 };
  const windows = dataRatesOf(network, session, deviceProfile.regParamsRevision).map((dr) => {
    return { mostBytes: limitOf(network, session, deviceProfile, dr), dr };
  });
  return windows.reduce((one, other) => (other.mostBytes > one.mostBytes ? other : one), { mostBytes: 0, dr: 0 });
}

function dataRatesOf({ region, settings }: Network, session: DeviceSession, regParamsRevision: string): number[] {
  const { mode, dr, rx1DROffset, rx2DataRate, pingSlotDR, downlinkDwellTime400ms: downlinkDwell } = session;
  if (mode !== 'A') return [mode === 'B' ? pingSlotDR : rx2DataRate];
  const rx1 = rx1DataRate(region, dr, rx1DROffset, { downlinkDwell, regParamsRevision });
  const both: readonly (number | null)[] = { BOTH: [rx1, rx2DataRate], RX1: [rx1], RX2: [rx2DataRate] }[
    settings.rxWindow
  ];
  return both.filter((one): one is number => one !== null);
}
