import { dataRateOf, isDataFrame } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import { modulationOfUplink } from '../radio/modulation.ts';
import type { DeviceSession } from '../state/session.ts';
import { type CollectedUplink, createGathering } from './collect.ts';
import { senderOf } from './find-session.ts';
import { readCopy } from './journal-copy.ts';
import { type Addressed, addressUplink, findSender, frameOf, processUplink } from './process.ts';

/** Unconfirmed and confirmed data up (LoRaWAN 1.0.4 §4.2.1). */
const dataUplinks = [0x40, 0x80];

/**
 * A session ends with the first uplink under the next one, or with one more join before that. What other processes have in
 * hand of it comes first: nobody could understand it afterwards.
 */
export async function finishEnded(network: Network, { frame, devEUI, isFirst }: Addressed): Promise<void> {
  if (!network.crossInstance || !devEUI || !frame) return;
  if (isDataFrame(frame) && !isFirst) return;
  const { current, pending } = await network.state.sessions(devEUI);
  const ended = isDataFrame(frame) ? pending && current : pending;
  if (!ended) return;
  for (const collected of await leftUnder(network, ended)) {
    const earlier = await addressUplink(network, collected);
    if (earlier.devEUI !== devEUI) continue;
    // It ends a session, too, when it is the first of one that the join is about to replace.
    if (!isDataFrame(frame)) await finishEnded(network, earlier);
    await finishEarlier(network, earlier, { forward: () => Promise.resolve() });
    await finish(network, earlier, () => Promise.resolve());
  }
}

/**
 * Where the counter of an uplink leaves a gap, what is missing may be in the journal: in the hand of a process that is
 * behind, stands still or has died. It comes first, so that what was acknowledged before is told before. Who may be about
 * to finish it is given a moment by `giveWay`. Nothing is asked where the counter follows the last one.
 */
export async function finishEarlier(
  network: Network,
  addressed: Addressed,
  {
    giveWay,
    forward,
  }: { giveWay?: () => Promise<void>; forward: (collected: CollectedUplink, frame: gw.UplinkFrame) => Promise<void> },
): Promise<void> {
  if (!network.crossInstance) return;
  let earlier = await missingBefore(network, addressed);
  if (earlier.length === 0) return;
  if (giveWay && !addressed.collected.isRecovered) {
    await giveWay();
    addressed.sender = null;
    earlier = await missingBefore(network, addressed);
  }
  network.count('uplinks_told_for_others', {}, earlier.length);
  for (const collected of earlier)
    await finish(network, await addressUplink(network, collected), (frame) => forward(collected, frame));
  addressed.sender = null;
}

async function finish(
  network: Network,
  addressed: Addressed,
  forward: (frame: gw.UplinkFrame) => Promise<void>,
): Promise<void> {
  await processUplink(network, addressed, forward).catch((error: unknown) => {
    if (network.state.isStorageFailure(error)) throw error;
    network.log.error({ err: error, devEUI: addressed.devEUI }, 'An uplink could not be processed before a later one.');
  });
}

/** What has not been told yet of the counters before this one and is in the journal, in their order. */
async function missingBefore(network: Network, addressed: Addressed): Promise<CollectedUplink[]> {
  const match = (await findSender(network, addressed))?.match;
  if (!match || match.fCnt <= match.session.fCntUp) return [];
  const { fCnt, session } = match;
  const isMissing = (counter: number) => counter >= session.fCntUp || session.missed.includes(counter);
  const missed = new Set(session.missed.map((counter) => counter % 0x10000));
  // Of a device of which much is left each would be read as often as there are others.
  const mayBeMissing = (copy: string) => {
    const short = shortFCntOf(copy);
    return short >= 0 && (missed.has(short) || ((short - session.fCntUp) & 0xffff) < fCnt - session.fCntUp);
  };
  return (await leftUnder(network, session, mayBeMissing))
    .map((collected) => ({ collected, counter: counterOf(network, collected, session) }))
    .filter(({ counter }) => counter !== undefined && counter < fCnt && isMissing(counter))
    .sort((one, other) => one.counter! - other.counter!)
    .map(({ collected }) => collected);
}

/** The whole counter of an uplink of this session; undefined: it is of another one. */
function counterOf(
  network: Network,
  { phyPayload, txInfo }: CollectedUplink,
  session: DeviceSession,
): number | undefined {
  const frame = frameOf(phyPayload);
  const modulation = modulationOfUplink(txInfo);
  const dr = modulation && dataRateOf(network.region, modulation);
  if (!frame || !isDataFrame(frame) || frame.devAddr !== session.devAddr || dr === null) return undefined;
  return senderOf(network, { phyPayload, txInfo, dr }, frame, [session]).match?.fCnt;
}

/** Whatever is in the journal under the DevAddr of a session, and a few others. */
async function leftUnder(
  { state }: Network,
  { devAddr }: Pick<DeviceSession, 'devAddr'>,
  isWanted: (copy: string) => boolean = () => true,
): Promise<CollectedUplink[]> {
  const left = createGathering();
  for (const { id, copy } of await state.unfinishedBeginning(beginningsOf(devAddr)))
    if (isWanted(copy)) left.gather(readCopy(copy), id);
  return left.gathered();
}

/** The lower half of the counter, out of the text of a copy: after MHDR, DevAddr and FCtrl. -1: it is no whole frame. */
function shortFCntOf(copy: string): number {
  const text = copy.slice(textBefore.length, textBefore.length + 12);
  if (!/^[A-Za-z\d+/]{12}$/.test(text)) return -1;
  const [low = 0, high = 0] = Uint8Array.fromBase64(text).subarray(6);
  return low | (high << 8);
}

const textBefore = '{"phyPayload":"';

/** Of the text of a copy in the journal (`writeCopy`), as far as it is the same for all uplinks under the address. */
function beginningsOf(devAddr: string): string[] {
  const address = Uint8Array.fromHex(devAddr).toReversed();
  return dataUplinks.map((mHDR) => textBefore + new Uint8Array([mHDR, ...address]).toBase64().slice(0, 6));
}
