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
 * Spends the counter of a frame in its session, which must be on disk before the frame leaves: two contents under one
 * counter give away the plain text of both (LoRaWAN 1.0.4 §4.3.3.1). `false`: another frame had this counter, and this
 * one must not leave. The very same frame may leave again.
 */
export function reserve(session: DeviceSession, { counter, fCnt, phyPayload }: SealedFrame): boolean {
  const digest = createHash('sha256').update(phyPayload).digest('hex').slice(0, 32);
  const last = session.spent[counter];
  if (fCnt < session[counter]) return last?.fCnt === fCnt && last.digest === digest;
  session[counter] = fCnt + 1;
  session.spent[counter] = { fCnt, digest };
  return true;
}
