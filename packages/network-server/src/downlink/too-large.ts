import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { Effect } from '../state/effect.ts';
import type { QueueItem, Write } from '../state/state.ts';
import { reportItem } from './report.ts';

/** Removes an item that is too large for every window, and informs the application. */
export async function tooLarge(
  network: Network,
  item: QueueItem,
  windows: readonly { limit: number }[],
): Promise<{ write: Write; effects: Effect[] }> {
  const { devEUI, id, fCnt, frmPayload } = item;
  const error = 'payload exceeds max payload size';
  const event = { devEui: Uint8Array.fromHex(devEUI), type: 'DEVICE_QUEUE_ITEM_SIZE', error, fCnt } as const;
  const reported = await effectOf(network, network.applicationServer.handleError(event), devEUI);
  const limit = Math.max(0, ...windows.map((window) => window.limit));
  const report = reportItem(network, item, 'TOO_LARGE', { bytes: frmPayload.length, limit });
  return { write: { kind: 'deleteQueueItem', devEUI, id }, effects: [...reported, report] };
}
