import { airtime, modulationOf } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import { lateCopyMs, type Uplink } from '../radio/uplink.ts';
import type { DeviceSession } from '../state/session.ts';

/** The most uplinks by which a late copy is behind; a counter further behind comes from a device that has restarted. */
const mostCopiesBehind = 16;
/** LoRaWAN 1.0.4 §4.3.3: how long a device may wait after RX2 before it repeats an uplink. */
const retransmitTimeoutMs = 3000;
/** The duty cycle of the common sub-bands for one device. */
const dutyCycle = 0.01;

type Received = Pick<Uplink, 'phyPayload' | 'dr'>;

/** Whether a counter belongs to one of the last uplinks: within 16 bits both have the same MIC. */
export function isCloseBehind({ fCntUp }: DeviceSession, fCnt: number): boolean {
  return fCnt >= 0 && fCnt < fCntUp && fCntUp - fCnt <= mostCopiesBehind;
}

/**
 * Whether a used counter belongs to a late copy. A device never repeats the last frame before its windows have closed,
 * a confirmed one not before the first window; a copy of an earlier frame may arrive after a newer one.
 */
export function isLateCopy(
  { clock }: Network,
  session: DeviceSession,
  { fCnt, isConfirmed }: { fCnt: number; isConfirmed: boolean },
): boolean {
  if (!isCloseBehind(session, fCnt)) return false;
  const soonestAgainMs = isConfirmed ? rx1AfterMs(session) : rx2AfterMs(session);
  return isWithin(session, clock.now(), fCnt === session.fCntUp - 1 ? soonestAgainMs : lateCopyMs);
}

/** Whether the last uplink is repeated because the network requested it (NbTrans). */
export function isRepetition({ clock, region }: Network, session: DeviceSession, uplink: Received, fCnt: number) {
  if (session.nbTrans < 2 || fCnt !== session.fCntUp - 1) return false;
  const onAirMs = airtime(uplink.phyPayload.length, modulationOf(region, uplink.dr));
  const eachMs = Math.max(rx2AfterMs(session) + retransmitTimeoutMs + onAirMs, onAirMs / dutyCycle);
  return isWithin(session, clock.now(), session.nbTrans * eachMs);
}

const rx1AfterMs = ({ rxDelay }: DeviceSession) => Math.max(rxDelay, 1) * 1000;
const rx2AfterMs = (session: DeviceSession) => rx1AfterMs(session) + 1000;

/** A time in the future comes from a wrong clock. */
function isWithin({ lastUplinkAt }: DeviceSession, now: Date, ms: number): boolean {
  const elapsed = lastUplinkAt === null ? Number.POSITIVE_INFINITY : now.getTime() - lastUplinkAt;
  return elapsed >= 0 && elapsed < ms;
}
