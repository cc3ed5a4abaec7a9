import type { as } from '@hilltop/protobuf';
import { RpcError } from '@hilltop/protobuf';
import type { Effect } from '../application-server.ts';
import { effectOf, noteRefusal } from '../effect-of.ts';
import type { Network } from '../network.ts';
import { versionOf } from '../session-version.ts';
import type { DeviceSession, DownlinkCounter } from '../state/session.ts';
import type { QueueItem, Write } from '../state/state.ts';

/** The items that can be sent under a session, and what had to change in the queue for that. */
export interface UsableQueue {
  items: QueueItem[];
  writes: Write[];
  effects: Effect[];
}

/** The counter that application data of a session uses. */
export function dataCounterOf(session: DeviceSession): DownlinkCounter {
  return versionOf(session) === '1.1' ? 'aFCntDown' : 'nFCntDown';
}

/** Whether an item is encrypted for that session. */
export function isFor({ id }: DeviceSession, { sessionID }: QueueItem): boolean {
  return sessionID === id || sessionID === '';
}

/**
 * Prepares the queue of a class A device for a response: a confirmed item that was sent and not acknowledged by this
 * uplink is given up, and items whose counter was used up meanwhile get new ones and are encrypted again. What is
 * encrypted for another session cannot be read any more, and is given up too.
 */
export async function usableQueue(
  network: Network,
  session: DeviceSession,
  queue: readonly QueueItem[],
): Promise<UsableQueue> {
  const { applicationServer } = network;
  const { devEUI } = session;
  const devEui = Uint8Array.fromHex(devEUI);
  const usable: UsableQueue = { items: [], writes: [], effects: [] };
  const giveUp = async (item: QueueItem, told: Promise<Effect>) => {
    usable.writes.push({ kind: 'deleteQueueItem', devEUI, id: item.id });
    usable.effects.push(...(await effectOf(network, told, devEUI)));
  };
  for (const item of queue) {
    const { fCnt } = item;
    if (!isFor(session, item)) {
      const error = 'the session it was queued for is over';
      await giveUp(item, applicationServer.handleError({ devEui, type: 'DEVICE_QUEUE_ITEM_FCNT', error, fCnt }));
    } else if (item.isPending) {
      await giveUp(item, applicationServer.handleDownlinkACK({ devEui, fCnt, acknowledged: false }));
    } else usable.items.push(item);
  }
  const next = session[dataCounterOf(session)];
  const [head] = usable.items;
  if (!head || head.fCnt >= next) return usable;
  usable.items = await encryptAgain(network, session, usable.items);
  for (const item of usable.items) usable.writes.push({ kind: 'updateQueueItem', item });
  return usable;
}

/**
 * All items numbered anew from the next free counter of the session; only the application can encrypt them. With `next`
 * they come from the session before, and the application does not know this one yet. None when it refuses: they wait.
 */
export async function encryptAgain(
  network: Network,
  session: DeviceSession,
  items: readonly QueueItem[],
  next?: as.DeviceActivationContext,
): Promise<QueueItem[]> {
  const { id, devEUI, devAddr } = session;
  const request = {
    devEui: Uint8Array.fromHex(devEUI),
    devAddr: Uint8Array.fromHex(devAddr),
    fCntStart: session[dataCounterOf(session)],
    items: items.map(({ frmPayload, fCnt, fPort, confirmed }) => ({ frmPayload, fCnt, fPort, confirmed })),
  };
  try {
    const answer = await network.applicationServer.reEncryptDeviceQueueItems(request, next);
    return items.map((item, place) => {
      const encrypted = answer.items[place];
      if (!encrypted) throw new RpcError('Internal', 'The application answered with fewer items than it was given.');
      const { fCnt, frmPayload } = encrypted;
      return { ...item, fCnt, frmPayload, sessionID: id, isForNextSession: false, hasLeft: false };
    });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    noteRefusal(network, devEUI, error, 'The queue was not encrypted anew.');
    return [];
  }
}
