import { channelIndexOf, type DataFrame, fullFCnt, isDataMicValid, isUplinkFrequency } from '@hilltop/lorawan';
import type { as } from '@hilltop/protobuf';
import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { Uplink } from '../radio/uplink.ts';
import { knownChannels } from '../session/known-channels.ts';
import { versionOf } from '../session/session-version.ts';
import type { DeviceRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';
import type { Dropped } from './decision.ts';
import { isCloseBehind, isLateCopy, isRepetition } from './repetitions.ts';

/**
 * The session whose key fits the MIC of a frame, with the full counter of the frame and of the downlink that it
 * acknowledges, if any.
 */
interface SessionMatch {
  session: DeviceSession;
  fCnt: number;
  confFCnt: number;
}

/** The fields of an uplink that do not depend on its receptions. */
type SentFrame = Pick<Uplink, 'phyPayload' | 'txInfo' | 'dr'>;

/** The candidate sessions of a data frame, and the matching one. */
export interface UplinkSender {
  /** null when the MIC fits no session. */
  match: SessionMatch | null;
  /** The first candidate; null when no session has the address. */
  first: DeviceSession | null;
  /** Whether any candidate has a channel on that frequency. */
  hasChannel: boolean;
}

/** The session of an accepted frame. */
export interface FoundSession extends SessionMatch {
  device: DeviceRecord;
  /** A repeated confirmed frame: its device has not received the answer. */
  isRepeat: boolean;
  /** A peer has processed later frames of the device before this one. */
  isOutOfOrder: boolean;
  /** The device has begun to count anew. */
  isReset: boolean;
}

/** LoRaWAN 1.0.4 §5.3: NbTrans is at most 15; further copies do not come from the device. */
const mostRepeats = 15;

/**
 * Finds the session whose key fits the MIC of a data frame. Several devices may share a DevAddr, and a device has up to
 * three sessions after a join: the MIC decides, over the full 32-bit counter (LoRaWAN 1.0.4 §4.3.1.5), else over the bare 16
 * bits of a device that has restarted. A session without a channel on the frequency is not considered.
 */
export function findSender(
  network: Network,
  uplink: SentFrame,
  frame: DataFrame,
  sessions: readonly DeviceSession[],
): UplinkSender {
  const candidates = sessions.filter((session) => {
    return isUplinkFrequency(network.region, uplink.txInfo.frequency, knownChannels(session));
  });
  const [first = null] = sessions;
  const hasChannel = candidates.length > 0;
  for (const session of candidates) {
    const match = verify(network, uplink, frame, session);
    if (match) return { match, first, hasChannel };
  }
  return { match: null, first, hasChannel };
}

/**
 * Accepts or refuses the frame by its device and its counter. A used counter is refused unless the device skips the
 * check of counters.
 */
export async function judgeFrame(
  network: Network,
  uplink: Uplink,
  frame: DataFrame,
  { match, first, hasChannel }: UplinkSender,
): Promise<FoundSession | Dropped> {
  if (match) return await judgeCounter(network, match, frame, uplink);
  if (!first) return { dropped: 'unknown-device' };
  const { devEUI } = first;
  if (!hasChannel) return { dropped: 'unknown-channel', devEUI };
  const device = await network.state.get('device', devEUI);
  if (!device || device.isDisabled) return { dropped: 'wrong-mic', devEUI };
  return await refuse(network, 'wrong-mic', uplink, first, frame.fCnt);
}

/** The counters with which the MIC is valid; null when there are none. */
function verify(network: Network, uplink: SentFrame, frame: DataFrame, session: DeviceSession): SessionMatch | null {
  const version = versionOf(session);
  const { fNwkSIntKey, sNwkSIntKey } = session.keys;
  const { confFCnt, formerConfFCnt } = session;
  const { frequency } = uplink.txInfo;
  const txCh = version === '1.1' ? channelIndexOf(network.region, frequency, uplink.dr, knownChannels(session)) : null;
  const isRight = (fCnt: number, confFCnt: number) => {
    if (version === '1.0') return isDataMicValid(uplink.phyPayload, { version, fNwkSIntKey, sNwkSIntKey, fCnt });
    if (txCh === null) return false;
    const context = { version, fNwkSIntKey, sNwkSIntKey, fCnt, confFCnt, txDr: uplink.dr, txCh };
    return isDataMicValid(uplink.phyPayload, context);
  };
  const full = fullFCnt(session.fCntUp, frame.fCnt);
  const isOld = version === '1.1' && frame.fCtrl.ack && formerConfFCnt !== confFCnt;
  const counters = full === frame.fCnt ? [full] : [full, frame.fCnt];
  const behind = full - 0x10000;
  if (behind !== frame.fCnt && isCloseBehind(session, behind)) counters.push(behind);
  for (const fCnt of session.missed) if (fCnt % 0x10000 === frame.fCnt && fCnt !== frame.fCnt) counters.push(fCnt);
  for (const fCnt of counters) {
    if (isRight(fCnt, confFCnt)) return { session, fCnt, confFCnt };
    if (isOld && isRight(fCnt, formerConfFCnt)) return { session, fCnt, confFCnt: formerConfFCnt };
  }
  return null;
}

async function judgeCounter(
  network: Network,
  match: SessionMatch,
  { mType }: DataFrame,
  uplink: Uplink,
): Promise<FoundSession | Dropped> {
  const { session, fCnt } = match;
  const { devEUI } = session;
  const device = await network.state.get('device', devEUI);
  if (!device) return { dropped: 'unknown-device', devEUI };
  if (device.isDisabled) return { dropped: 'device-disabled', devEUI };
  const found = { ...match, device, isRepeat: false, isOutOfOrder: false, isReset: false };
  if (fCnt >= session.fCntUp) return found;
  if (network.outOfOrder.mayPrecedeLast(session, uplink)) {
    if (session.missed.includes(fCnt)) return { ...found, isOutOfOrder: true };
    if (fCnt === session.fCntUp - 1 || wasProcessed(found, uplink)) return { dropped: 'late-copy', devEUI };
  }
  if (device.skipFCntCheck) {
    session.fCntUp = 0;
    session.missed = [];
    session.uplinkHistory = [];
    return { ...found, isReset: true };
  }
  const isConfirmed = mType === 'ConfirmedDataUp';
  if (isLateCopy(network, session, { fCnt, isConfirmed })) return { dropped: 'late-copy', devEUI };
  if (fCnt !== session.fCntUp - 1) return await refuse(network, 'fcnt-reset', uplink, session, fCnt);
  const isRepeat = isConfirmed && session.repeats < mostRepeats;
  if (!isRepeat && isRepetition(network, session, uplink, fCnt)) return { dropped: 'repetition', devEUI };
  return isRepeat ? { ...found, isRepeat } : await refuse(network, 'retransmission', uplink, session, fCnt);
}

/**
 * Whether other copies of the frame were certainly processed. A device that skips the check of counters may have
 * restarted with a low counter, so that only its recent counters count.
 */
function wasProcessed(
  { session, device, fCnt }: Pick<FoundSession, 'session' | 'device' | 'fCnt'>,
  { isTooLateToAnswer, receivedAt = Number.POSITIVE_INFINITY }: Uplink,
): boolean {
  const isOlder = isTooLateToAnswer || receivedAt < (session.lastUplinkAt ?? 0);
  return isOlder && (!device.skipFCntCheck || session.uplinkHistory.some((known) => known.fCnt === fCnt));
}

const refusals = {
  'wrong-mic': { type: 'DATA_UP_MIC', error: 'invalid MIC' },
  retransmission: { type: 'DATA_UP_FCNT_RETRANSMISSION', error: 'counter did not increment' },
  'fcnt-reset': { type: 'DATA_UP_FCNT_RESET', error: 'counter did not increment' },
} as const satisfies Record<string, { type: as.ErrorType; error: string }>;

async function refuse(
  network: Network,
  reason: keyof typeof refusals,
  uplink: Uplink,
  { devEUI }: DeviceSession,
  fCnt: number,
): Promise<Dropped> {
  const { type, error } = refusals[reason];
  const leftOut = network.errorLimit.leftOut(uplink, `${devEUI}/${type}`);
  if (leftOut === null) return { dropped: reason, devEUI };
  const text = leftOut > 0 ? `${error} (${leftOut} more since the last error)` : error;
  const event = { devEui: Uint8Array.fromHex(devEUI), fCnt, type, error: text };
  return {
    dropped: reason,
    devEUI,
    effects: await effectOf(network, network.applicationServer.handleError(event), devEUI),
  };
}
