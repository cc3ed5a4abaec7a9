/** Reports to the application what happens to queued downlinks. */
import type { Network } from '../network/network.ts';
import type { DeviceTransmission } from '../network/transmissions.ts';
import type { DownlinkReport, DownlinkStep } from '../ports/downlink-reports.ts';
import type { Effect } from '../state/effect.ts';
import type { QueueItem, Write } from '../state/state.ts';

export function reportItem(
  { reportDownlink }: Network,
  { devEUI, id, fCnt }: QueueItem,
  step: DownlinkStep,
  details: Partial<DownlinkReport> = {},
): Effect {
  return reportDownlink({ devEUI, itemID: id, fCnt, step, ...details });
}

/** Reports the queued item in a transmission, in its first window or in that one; none when it has no item. */
export function reportTransmission(
  { reportDownlink }: Network,
  { devEUI, frame, data }: DeviceTransmission,
  step: DownlinkStep,
  { at = data.findIndex(({ queueItemID }) => queueItemID), reason }: { at?: number; reason?: string } = {},
): Effect[] {
  const sent = data[at];
  const txInfo = frame.items[at]?.txInfo;
  if (!sent?.queueItemID || !txInfo) return [];
  const { queueItemID: itemID, fCnt, window, dr } = sent;
  const { frequency } = txInfo;
  const report = { devEUI, itemID, fCnt, step, gatewayID: frame.gatewayID.toHex(), window, frequency, dr };
  return [reportDownlink(reason === undefined ? report : { ...report, reason })];
}

/** Removes the queue of a device, except items that move to its next session, and reports why. */
export async function dropQueue(
  network: Network,
  devEUI: string,
  step: DownlinkStep,
  moved: readonly QueueItem[] = [],
): Promise<{ writes: Write[]; effects: Effect[] }> {
  const queue = await network.state.queue(devEUI);
  const dropped = queue.filter(({ id }) => !moved.some((item) => item.id === id));
  return {
    writes: [{ kind: 'flushQueue', devEUI }, ...moved.map((item): Write => ({ kind: 'insertQueueItem', item }))],
    effects: dropped.map((item) => reportItem(network, item, step)),
  };
}
