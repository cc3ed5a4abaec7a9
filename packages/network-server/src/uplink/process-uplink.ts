/** Fourth stage of the uplink pipeline: prepares one uplink, decides and writes, and only then shows and answers it. */
import { type DataFrame, decodeFrame, type Frame, FrameError, isDataFrame } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import { mostGateways, send } from '../downlink/send.ts';
import type { Network } from '../network/network.ts';
import type { Uplink } from '../radio/uplink.ts';
import type { Effect } from '../state/effect.ts';
import type { DeviceSession } from '../state/session.ts';
import type { JournalID, State, Write } from '../state/state.ts';
import type { CollectedUplink } from './collector.ts';
import { decideDataUplink } from './data.ts';
import { type Decision, type Dropped, decisionOf } from './decision.ts';
import { findSender, type UplinkSender } from './find-session.ts';
import { frameReportsOf } from './frame-reports.ts';
import { decideJoin } from './join.ts';
import { joinRequestReport, reportUnknownSender } from './join-reports.ts';
import { prepareUplink } from './prepare.ts';
import { decideProprietary } from './proprietary.ts';
import { countUplinkAirtime } from './received-airtime.ts';
import { decideRejoin } from './rejoin.ts';

const attempts = 4;

/** An uplink and its device, before it is processed after the earlier uplinks of that device. */
export interface IdentifiedUplink {
  collected: CollectedUplink;
  uplink: Uplink | Dropped;
  frame: Frame | null;
  /** Null: no registered device. */
  devEUI: string | null;
  /** The candidate sessions of a data frame, as read before; null when they may have changed since. */
  sender: UplinkSender | null;
  /** Whether no other device has its DevAddr. */
  isOnlyDevice: boolean;
  /** The ID of the session that was not in use before it when it arrived; null: it was not the first of a session. */
  firstOf: string | null;
}

/** Decides about an uplink and writes the decision. */
export type UplinkWork = (identified: IdentifiedUplink) => Promise<Decision>;

/** Removes the copies of an uplink from the journal in the transaction that writes its decision. */
export interface JournalFinish {
  writeFor: (ids: readonly JournalID[], decision: Decision) => Write;
  /** After a refused transaction: the copies that no instance has finished. */
  unfinished(ids: readonly JournalID[]): Promise<readonly JournalID[]>;
}

/** No other process finishes copies of this one. */
export const localFinish: JournalFinish = {
  writeFor: (ids) => ({ kind: 'finish', ids }),
  unfinished: async (ids) => ids,
};

/** Finds the device of an uplink: by the MIC of a data frame, by the DevEUI in a join-request. */
export async function identifyUplink(network: Network, collected: CollectedUplink): Promise<IdentifiedUplink> {
  const uplink = await prepareUplink(network, collected);
  const nobody = { devEUI: null, sender: null, isOnlyDevice: false, firstOf: null };
  if ('dropped' in uplink) return { ...nobody, collected, uplink, frame: null };
  const frame = frameOf(uplink.phyPayload);
  if (!frame || !isDataFrame(frame)) {
    return { ...nobody, collected, uplink, frame, devEUI: frame && 'devEUI' in frame ? frame.devEUI : null };
  }
  const sessions = await network.state.sessionsByDevAddr(frame.devAddr);
  const sender = findSender(network, uplink, frame, sessions);
  const devEUI = sender.match?.session.devEUI ?? null;
  const isOnlyDevice = devEUI !== null && sessions.every((session) => session.devEUI === devEUI);
  const { id: sessionID = null, role = 'current' } = sender.match?.session ?? {};
  const firstOf = role === 'current' ? null : sessionID;
  return { collected, uplink, frame, devEUI, sender, isOnlyDevice, firstOf };
}

/** Uplinks whose windows close together finish within this time, and share a transaction. */
const uplinkWaitMs = 2;

/**
 * Resolves with the decision when it is written. A decision that lost a race with another one for the same device is made
 * again: a replayed frame is then recognized. Rejects when nothing could be written; the uplink is still in the journal
 * then.
 */
export async function processUplink(
  network: Network,
  identified: IdentifiedUplink,
  { finish, forward }: { finish: JournalFinish; forward: (frame: gw.UplinkFrame) => Promise<void> },
): Promise<Decision> {
  const { collected } = identified;
  let ids: readonly JournalID[] = collected.journalIDs;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const isFresh = identified.sender === null;
    const decision = await decide(network, identified);
    if (collected.isTooLateToAnswer) decision.response = null;
    if (decision.forwarded) await forward(decision.forwarded);
    const writes = [...decision.writes, finish.writeFor(ids, decision)];
    const effects = [...decision.effects, ...(await reportsOf(network, identified, decision))];
    if (await network.state.commit({ writes, effects, maxWaitMs: uplinkWaitMs })) {
      conclude(network, decision);
      reportUnknownSender(network, identified, decision);
      countUplinkAirtime(network, identified, decision);
      return decision;
    }
    if (isFresh) network.count('uplinks_contended');
    ids = await finish.unfinished(ids);
    if (ids.length === 0) return processedByPeer(network);
  }
  throw new Error('The session of the device kept changing.');
}

async function reportsOf(network: Network, { uplink, frame }: IdentifiedUplink, decision: Decision): Promise<Effect[]> {
  if ('dropped' in uplink) return [];
  return [
    ...(await frameReportsOf(network, { uplink, frame }, decision)),
    ...(await joinRequestReport(network, { uplink, frame }, decision)),
  ];
}

/** A peer believed that this process had ended, or received copies of the same uplink. */
function processedByPeer({ count }: Network): Decision {
  count('uplinks_handled_elsewhere');
  return decisionOf({ dropped: 'late-copy' });
}

async function decide(network: Network, identified: IdentifiedUplink): Promise<Decision> {
  const { uplink, frame, collected } = identified;
  if ('dropped' in uplink) return decisionOf(uplink);
  const isJoin = frame?.mType === 'JoinRequest' || frame?.mType === 'RejoinRequest';
  if (isJoin && collected.isTooLateToAnswer) return decisionOf({ dropped: 'too-late' });
  switch (frame?.mType) {
    case 'UnconfirmedDataUp':
    case 'ConfirmedDataUp':
      return await decideDataUplink(network, uplink, frame, await takeSender(network, identified, uplink, frame));
    case 'JoinRequest':
      return await decideJoin(network, uplink, frame);
    case 'RejoinRequest':
      return await decideRejoin(network, uplink, frame);
    case 'Proprietary':
      return await decideProprietary(network, uplink, frame);
    case undefined:
      return decisionOf({ dropped: 'not-a-frame' });
    default:
      return decisionOf({ dropped: 'downlink-type' });
  }
}

/** A sender can be used once, because deciding changes its session. */
async function takeSender(
  network: Network,
  identified: IdentifiedUplink,
  uplink: Uplink,
  frame: DataFrame,
): Promise<UplinkSender> {
  const sender = identified.sender ?? (await senderNow(network, identified, uplink, frame));
  identified.sender = null;
  return sender;
}

/** The sender of a data frame before the frame is processed; null for any other frame. */
export async function senderBeforeProcessing(
  network: Network,
  identified: IdentifiedUplink,
): Promise<UplinkSender | null> {
  const { uplink, frame } = identified;
  if ('dropped' in uplink || !frame || !isDataFrame(frame)) return null;
  identified.sender ??= await senderNow(network, identified, uplink, frame);
  return identified.sender;
}

/** When the device is known, reads only the sessions of that one. */
async function senderNow(
  network: Network,
  { devEUI }: IdentifiedUplink,
  uplink: Uplink,
  frame: DataFrame,
): Promise<UplinkSender> {
  return findSender(network, uplink, frame, await candidatesOf(network.state, frame.devAddr, devEUI));
}

async function candidatesOf(state: State, devAddr: string, devEUI: string | null): Promise<DeviceSession[]> {
  if (devEUI === null) return await state.sessionsByDevAddr(devAddr);
  const { current, pending, replaced } = await state.sessions(devEUI);
  return [current, pending, replaced].filter((session): session is DeviceSession => session?.devAddr === devAddr);
}

/** Null when the bytes are not a frame of a known version. */
export function frameOf(phyPayload: Uint8Array): Frame | null {
  try {
    const frame = decodeFrame(phyPayload);
    return frame.major === 0 ? frame : null;
  } catch (error) {
    if (error instanceof FrameError) return null;
    throw error;
  }
}

/** Counts and logs the decision once, shows the frame, and sends a join-accept. */
function conclude(
  network: Network,
  { dropped, devEUI, repeated, deviceFrame, joinAccept: accept, effects }: Decision,
): void {
  if (deviceFrame && devEUI) network.deviceFrames.add(devEUI, deviceFrame);
  if (dropped) {
    network.count('uplinks_dropped', { reason: dropped });
    // The log has one line for each error event, not for each forged frame.
    const isForged = dropped === 'unknown-device' || (dropped === 'wrong-mic' && effects.length === 0);
    const level = devEUI && !isForged ? 'info' : 'debug';
    network.log[level]({ devEUI, reason: dropped }, 'An uplink was dropped.');
    return;
  }
  network.count('uplinks');
  if (repeated) network.count('uplinks_repeated', { after: repeated });
  if (accept) sendJoinAccept(network, accept);
}

function sendJoinAccept(network: Network, accept: NonNullable<Decision['joinAccept']>, tries = 1): void {
  const transmission = accept();
  const tryAgain = tries < mostGateways ? () => sendJoinAccept(network, accept, tries + 1) : undefined;
  if (transmission) send(network, transmission, tryAgain);
}
