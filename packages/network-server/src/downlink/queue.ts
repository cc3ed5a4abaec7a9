import type { Effect } from '../application-server.ts';
import { effectOf } from '../effect-of.ts';
import type { Network } from '../network.ts';
import { versionOf } from '../session-version.ts';
import type { DeviceSession } from '../state/session.ts';
import type { QueueItem, Write } from '../state/state.ts';

/** The items that can be sent under a session, and what had to change in the queue for that. */
export interface UsableQueue {
  items: QueueItem[];
  writes: Write[];
  effects: Effect[];
}

/** The counter that application data of a session uses. */
export function dataCounterOf(session: DeviceSession): 'nFCntDown' | 'aFCntDown' {
  return versionOf(session) === '1.1' ? 'aFCntDown' : 'nFCntDown';
}

/**
 * Prepares the queue of a class A device for a response: a confirmed item that was sent and not acknowledged by this
 * uplink is given up, and items whose counter was used up meanwhile get new ones and are encrypted again.
 */
export async function usableQueue(
  network: Network,
  session: DeviceSession,
  queue: readonly QueueItem[],
): Promise<UsableQueue> {
  const { devEUI } = session;
  const usable: UsableQueue = { items: [], writes: [], effects: [] };
  for (const item of queue) {
    if (!item.isPending) usable.items.push(item);
    else {
      usable.writes.push({ kind: 'deleteQueueItem', devEUI, id: item.id });
      const given = { devEui: Uint8Array.fromHex(devEUI), fCnt: item.fCnt, acknowledged: false };
      const told = network.applicationServer.handleDownlinkACK(given);
      usable.effects.push(...(await effectOf(network, told, devEUI)));
    }
  }
  const next = session[dataCounterOf(session)];
  const [head] = usable.items;
  if (!head || head.fCnt >= next) return usable;
  usable.items = await encryptAgain(network, session, usable.items, next);
  for (const item of usable.items) usable.writes.push({ kind: 'updateQueueItem', item });
  return usable;
}

/** All items numbered from `next` on; only the application can encrypt them. */
async function encryptAgain(
  { applicationServer }: Network,
  { devEUI, devAddr }: DeviceSession,
  items: readonly QueueItem[],
  next: number,
): Promise<QueueItem[]> {
  const answer = await applicationServer.reEncryptDeviceQueueItems({
    devEui: Uint8Array.fromHex(devEUI),
    devAddr: Uint8Array.fromHex(devAddr),
    fCntStart: next,
    items: items.map(({ frmPayload, fCnt, fPort, confirmed }) => ({ frmPayload, fCnt, fPort, confirmed })),
  });
  return items.map((item, place) => {
    const encrypted = answer.items[place];
    if (!encrypted) throw new Error('The application answered with fewer queue items than it was given.');
    return { ...item, fCnt: encrypted.fCnt, frmPayload: encrypted.frmPayload };
  });
}
