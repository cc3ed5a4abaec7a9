import { dataRateOf, isDataFrame } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import type { Network } from '../../network/network.ts';
import { modulationOfUplink } from '../../radio/modulation.ts';
import type { DeviceSession } from '../../state/session.ts';
import type { State } from '../../state/state.ts';
import { type CollectedUplink, groupCopies } from '../collector.ts';
import { findSender } from '../find-session.ts';
import { readCopy } from '../journal-copy.ts';
import {
  frameOf,
  type IdentifiedUplink,
  identifyUplink,
  processUplink,
  senderBeforeProcessing,
} from '../process-uplink.ts';
import { guardedFinish } from './guarded-finish.ts';

/** MHDR of unconfirmed and confirmed data up (LoRaWAN 1.0.4 §4.2.1). */
const dataUplinkMHDRs = [0x40, 0x80];

const ignoreForwarded = () => Promise.resolve();

/**
 * A session ends with the first uplink of a later one, or with two more joins before its own first uplink. Its uplinks
 * that are still in the journal are processed first, because afterwards no instance has their keys.
 */
export async function processUplinksOfEndedSessions(network: Network, identified: IdentifiedUplink): Promise<void> {
  const { frame, devEUI, firstOf } = identified;
  if (!devEUI || !frame) return;
  if (isDataFrame(frame) && firstOf === null) return;
  for (const session of endedBy(identified, await network.state.sessions(devEUI))) {
    for (const collected of await unfinishedUnder(network, session)) {
      const earlier = await identifyUplink(network, collected);
      if (earlier.devEUI !== devEUI) continue;
      // The first uplink of a session that the join is about to remove ends a session, too.
      if (!isDataFrame(frame)) await processUplinksOfEndedSessions(network, earlier);
      await processEarlierUplinks(network, earlier, { forward: ignoreForwarded });
      await processEarlier(network, earlier, ignoreForwarded);
    }
  }
}

/** The sessions that a join-request, or the first uplink of a session, is about to remove, oldest first. */
function endedBy(
  { frame, firstOf }: IdentifiedUplink,
  { current, pending, replaced }: Awaited<ReturnType<State['sessions']>>,
): DeviceSession[] {
  const isEnded = (session: DeviceSession | null): session is DeviceSession => session !== null;
  if (!frame || !isDataFrame(frame)) return [replaced].filter(isEnded);
  if (firstOf === pending?.id) return [current, replaced].filter(isEnded);
  return firstOf === replaced?.id ? [current].filter(isEnded) : [];
}

/**
 * Processes the uplinks that are missing before this one and in the journal: their instance is slow, pauses or has
 * ended. So the application gets them in order. With `waitForPeer` that instance gets some time to process them itself.
 * Reads nothing when the counter follows the last one.
 */
export async function processEarlierUplinks(
  network: Network,
  identified: IdentifiedUplink,
  {
    waitForPeer,
    forward,
  }: {
    waitForPeer?: () => Promise<void>;
    forward: (collected: CollectedUplink, frame: gw.UplinkFrame) => Promise<void>;
  },
): Promise<void> {
  let earlier = await missingBefore(network, identified);
  if (earlier.length === 0) return;
  if (waitForPeer && !identified.collected.isTooLateToAnswer) {
    await waitForPeer();
    identified.sender = null;
    earlier = await missingBefore(network, identified);
  }
  network.count('uplinks_told_for_others', {}, earlier.length);
  for (const collected of earlier)
    await processEarlier(network, await identifyUplink(network, collected), (frame) => forward(collected, frame));
  identified.sender = null;
}

async function processEarlier(
  network: Network,
  identified: IdentifiedUplink,
  forward: (frame: gw.UplinkFrame) => Promise<void>,
): Promise<void> {
  const finish = guardedFinish(network.state);
  await processUplink(network, identified, { finish, forward }).catch((error: unknown) => {
    if (network.state.isStorageFailure(error)) throw error;
    const { devEUI } = identified;
    network.log.error({ err: error, devEUI }, 'An uplink could not be processed before a later one.');
  });
}

/** The unprocessed uplinks in the journal whose counters precede this one, in order. */
async function missingBefore(network: Network, identified: IdentifiedUplink): Promise<CollectedUplink[]> {
  const match = (await senderBeforeProcessing(network, identified))?.match;
  if (!match || match.fCnt <= match.session.fCntUp) return [];
  const { fCnt, session } = match;
  const isMissing = (counter: number) => counter >= session.fCntUp || session.missed.includes(counter);
  const missed = new Set(session.missed.map((counter) => counter % 0x10000));
  // Skips copies without parsing them: each of many uplinks of a device would otherwise parse all the others.
  const mayBeMissing = (copy: string) => {
    const short = shortFCntOf(copy);
    return short >= 0 && (missed.has(short) || ((short - session.fCntUp) & 0xffff) < fCnt - session.fCntUp);
  };
  return (await unfinishedUnder(network, session, mayBeMissing))
    .map((collected) => ({ collected, counter: counterOf(network, collected, session) }))
    .filter(({ counter }) => counter !== undefined && counter < fCnt && isMissing(counter))
    .sort((a, b) => a.counter! - b.counter!)
    .map(({ collected }) => collected);
}

/** The whole counter of an uplink of this session; undefined when it belongs to another one. */
function counterOf(
  network: Network,
  { phyPayload, txInfo }: CollectedUplink,
  session: DeviceSession,
): number | undefined {
  const frame = frameOf(phyPayload);
  const modulation = modulationOfUplink(txInfo);
  const dr = modulation && dataRateOf(network.region, modulation);
  if (!frame || !isDataFrame(frame) || frame.devAddr !== session.devAddr || dr === null) return undefined;
  return findSender(network, { phyPayload, txInfo, dr }, frame, [session]).match?.fCnt;
}

/** The uplinks in the journal under the DevAddr of a session, and a few others. */
async function unfinishedUnder(
  { state }: Network,
  { devAddr }: Pick<DeviceSession, 'devAddr'>,
  isWanted: (copy: string) => boolean = () => true,
): Promise<CollectedUplink[]> {
  const entries = await state.unfinishedBeginning(beginningsOf(devAddr));
  const wanted = entries.filter(({ copy }) => isWanted(copy));
  return groupCopies(wanted.map(({ id, copy }) => ({ id, frame: readCopy(copy) })));
}

/** The lower half of the counter, from the text of a copy: after MHDR, DevAddr and FCtrl. -1 for an incomplete frame. */
function shortFCntOf(copy: string): number {
  const text = copy.slice(textBeforePayload.length, textBeforePayload.length + 12);
  if (!/^[A-Za-z\d+/]{12}$/.test(text)) return -1;
  const [low = 0, high = 0] = Uint8Array.fromBase64(text).subarray(6);
  return low | (high << 8);
}

const textBeforePayload = '{"phyPayload":"';

/** The common beginnings of the texts of copies with a DevAddr (`writeCopy`). */
function beginningsOf(devAddr: string): string[] {
  const address = Uint8Array.fromHex(devAddr).toReversed();
  return dataUplinkMHDRs.map((mHDR) => textBeforePayload + new Uint8Array([mHDR, ...address]).toBase64().slice(0, 6));
}
