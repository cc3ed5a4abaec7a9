import { airtime, type Modulation } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import { modulationOfUplink } from '../radio/modulation.ts';

/** In microseconds; null for an item without modulation. */
export function airtimeOfItem({ phyPayload, txInfo }: gw.DownlinkFrameItem): number | null {
  return txInfo && airtimeUsOf(phyPayload.length, modulationOfUplink(txInfo), 'down');
}

/** Longer than any frame: a gateway may report a modulation that does not exist. */
const longestUs = 60_000_000;

export function airtimeUsOf(size: number, modulation: Modulation | null, direction: 'up' | 'down'): number | null {
  const us = modulation && Math.round(airtime(size, modulation, direction) * 1000);
  return us !== null && us > 0 && us < longestUs ? us : null;
}
