import { createHash } from 'node:crypto';
import type { DeviceSession, DownlinkCounter } from '../state/session.ts';

/** A sealed frame and the counter it was sealed with. */
export interface SealedFrame {
  counter: DownlinkCounter;
  /** All 32 bits. */
  fCnt: number;
  phyPayload: Uint8Array;
}

/**
 * Uses up the counter of a frame in its session, which must be on disk before the frame is sent: two contents under one
 * counter reveal the plain text of both (LoRaWAN 1.0.4 §4.3.3.1). `false`: another frame had this counter, and this one
 * must not be sent. The identical frame may be sent again.
 */
export function reserve(session: DeviceSession, { counter, fCnt, phyPayload }: SealedFrame): boolean {
  const digest = digestOf(phyPayload);
  if (fCnt < session[counter]) return isSpentBy(session, { counter, fCnt, phyPayload });
  session[counter] = fCnt + 1;
  session.spent[counter] = { fCnt, digest };
  return true;
}

/** Whether this is the frame that was sent last under its counter. */
export function isSpentBy({ spent }: DeviceSession, { counter, fCnt, phyPayload }: SealedFrame): boolean {
  return spent[counter]?.fCnt === fCnt && spent[counter].digest === digestOf(phyPayload);
}

function digestOf(phyPayload: Uint8Array): string {
  return createHash('sha256').update(phyPayload).digest('hex').slice(0, 32);
}
