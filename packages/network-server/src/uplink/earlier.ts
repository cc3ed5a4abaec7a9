import { isDataFrame } from '@hilltop/lorawan';
import type { Network } from '../network.ts';
import { createGathering } from './collect.ts';
import { readCopy } from './journal-copy.ts';
import { type Addressed, addressUplink, processUplink } from './process.ts';

/** Unconfirmed and confirmed data up (LoRaWAN 1.0.4 §4.2.1). */
const dataUplinks = [0x40, 0x80];

/**
 * A session ends with the first uplink under the next one, or with one more join before that. What other processes have in
 * hand of it comes first: nobody could understand it afterwards.
 */
export async function finishEnded(network: Network, { frame, devEUI, isFirst }: Addressed): Promise<void> {
  if (!network.copies || !devEUI || !frame) return;
  if (isDataFrame(frame) && !isFirst) return;
  const { current, pending } = await network.state.sessions(devEUI);
  const ended = isDataFrame(frame) ? pending && current : pending;
  if (!ended) return;
  const left = createGathering();
  for (const { id, copy } of await network.state.unfinishedBeginning(beginningsOf(ended.devAddr)))
    left.gather(readCopy(copy), id);
  for (const collected of left.gathered()) {
    const earlier = await addressUplink(network, collected);
    if (earlier.devEUI !== devEUI) continue;
    // It ends a session, too, when it is the first of one that the join is about to replace.
    if (!isDataFrame(frame)) await finishEnded(network, earlier);
    await processUplink(network, earlier, () => Promise.resolve()).catch((error: unknown) => {
      if (network.state.isStorageFailure(error)) throw error;
      network.log.error({ error, devEUI }, 'An uplink of a session that ends could not be processed before.');
    });
  }
}

/** Of the text of a copy in the journal (`writeCopy`), as far as it is the same for all uplinks under the address. */
function beginningsOf(devAddr: string): string[] {
  const address = Uint8Array.fromHex(devAddr).toReversed();
  return dataUplinks.map((mHDR) => `{"phyPayload":"${new Uint8Array([mHDR, ...address]).toBase64().slice(0, 6)}`);
}
