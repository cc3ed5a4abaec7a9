import {
  downlinkTxPower,
  linkBudget,
  modulationOf,
  requiredSNR,
  rx1DataRate,
  rx1Frequency,
  windowProblem,
} from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { ReceiveWindowName } from '../ports/downlink-reports.ts';
import type { Uplink } from '../radio/uplink.ts';
import type { DeviceSession } from '../state/session.ts';

/** A time at which the device listens. */
export interface ReceiveWindow {
  frequency: number;
  dr: number;
  timing: Timing;
}

/** The time after the uplink, a GPS time in milliseconds, or at once. */
export type Timing = { afterMs: number } | { atGpsMs: number } | 'immediately';

/**
 * RX1 and RX2 after an uplink, in the order in which to try them; empty when the region allows none. A window that no
 * gateway could send in (a device profile may name one) is left out.
 */
export function receiveWindows(
  network: Network,
  uplink: Pick<Uplink, 'txInfo' | 'dr'>,
  session: DeviceSession,
  regParamsRevision: string,
): ReceiveWindow[] {
  const afterMs = Math.max(session.rxDelay, 1) * 1000;
  const { rx1DROffset, rx2Frequency, rx2DataRate, downlinkDwellTime400ms: downlinkDwell } = session;
  const frequency = rx1Frequency(network.region, uplink.txInfo.frequency);
  const dr = rx1DataRate(network.region, uplink.dr, rx1DROffset, { downlinkDwell, regParamsRevision });
  const first = frequency === null || dr === null ? null : { frequency, dr, timing: { afterMs } };
  const second = { frequency: rx2Frequency, dr: rx2DataRate, timing: { afterMs: afterMs + 1000 } };
  const isPossible = (window: ReceiveWindow) => isPossibleWindow(network, window);
  const rx1 = first && isPossible(first) ? first : null;
  const rx2 = isPossible(second) ? second : null;
  return orderWindows(network, rx1, rx2, isRX2Better(network, rx1, rx2, session));
}

/** How the standard calls a window of this device. */
export function windowName({ rxDelay }: DeviceSession, { timing }: ReceiveWindow): ReceiveWindowName {
  if (timing === 'immediately') return 'RXC';
  if ('atGpsMs' in timing) return 'PING_SLOT';
  return timing.afterMs > Math.max(rxDelay, 1) * 1000 ? 'RX2' : 'RX1';
}

/** When both windows after the last uplink of a device have closed. A time in the future comes from a wrong clock. */
export function windowsOverAt({ clock }: Network, { lastUplinkAt, rxDelay }: DeviceSession): number {
  const receivedAt = lastUplinkAt ?? 0;
  return receivedAt > clock.now().getTime() ? 0 : receivedAt + (Math.max(rxDelay, 1) + 2) * 1000;
}

/** Whether gateways of the region can send in it. */
export function isPossibleWindow({ region }: Network, { frequency, dr }: ReceiveWindow): boolean {
  return windowProblem(region, { frequency, dataRate: dr }) === null;
}

/** Leaves out windows that the settings exclude. */
export function orderWindows(
  { settings: { rxWindow } }: Network,
  rx1: ReceiveWindow | null,
  rx2: ReceiveWindow | null,
  isRX2First: boolean,
): ReceiveWindow[] {
  const inOrder = isRX2First ? [rx2, rx1] : [rx1, rx2];
  const used = { BOTH: inOrder, RX1: [rx1], RX2: [rx2] }[rxWindow];
  return used.filter((window) => window !== null);
}

/** Compares only for devices that use the parameters of the network; others may still listen with previous ones. */
function isRX2Better(
  network: Network,
  rx1: ReceiveWindow | null,
  rx2: ReceiveWindow | null,
  session: DeviceSession,
): boolean {
  const { settings, wanted } = network;
  const isSettled =
    session.rx2Frequency === wanted.rx2Frequency &&
    session.rx2DataRate === wanted.rx2DataRate &&
    session.rx1DROffset === wanted.rx1DROffset &&
    Math.max(session.rxDelay, 1) === Math.max(wanted.rxDelay, 1);
  if (!rx1 || !rx2 || !isSettled) return false;
  if (rx1.dr < settings.rx2PreferOnRX1DRLt) return true;
  if (!settings.rx2PreferOnLinkBudget) return false;
  const [first, second] = [budgetOf(network, rx1), budgetOf(network, rx2)];
  return first !== null && second !== null && second > first;
}

function budgetOf(network: Network, { dr, frequency }: ReceiveWindow): number | null {
  const modulation = modulationOf(network.region, dr);
  if (modulation.modulation !== 'LORA') return null;
  return linkBudget(powerOf(network, frequency), modulation.bandwidth, requiredSNR(modulation) ?? 0);
}

/** dBm EIRP of a downlink on that frequency. */
export function powerOf({ region, settings }: Network, frequency: number): number {
  return settings.downlinkTxPower ?? downlinkTxPower(region, frequency);
}
