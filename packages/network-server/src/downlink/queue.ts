import { RpcError } from '@hilltop/protobuf';
import { effectOf, noteRefusal } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { SessionMove } from '../ports/application-server.ts';
import type { DownlinkStep } from '../ports/downlink-reports.ts';
import { dataCounterOf } from '../session/downlink-counter.ts';
import type { Effect } from '../state/effect.ts';
import type { DeviceSession } from '../state/session.ts';
import type { QueueItem, Write } from '../state/state.ts';
import { isExpired } from './in-flight.ts';
import { reportItem } from './report.ts';
import { withCorrectedClock } from './unconfirmed.ts';

/** The items that can be sent under a session, and the changes of the queue that this needs. */
export interface UsableQueue {
  items: QueueItem[];
  writes: Write[];
  effects: Effect[];
  /** Nothing can be sent before this time, because an item waits for its gateway or for the device. */
  heldUntil: number | null;
}

/** How long to wait after the application refused to encrypt before it gets the next request. */
const refusedForMs = 60_000;

/** Schedules the queue of a class B or C device; with `leaseUntil` it is due now and claimed at once. */
export function scheduleQueue(devEUI: string, at: number, leaseUntil?: number): Write {
  return { kind: 'askDue', work: { kind: 'queue', key: devEUI }, at, leaseUntil };
}

/** Schedules the queues that wait for a gateway that is now connected. */
export async function scheduleAwaitedQueues(
  { state, clock, awaitedGateways: awaited, log }: Network,
  gatewayID: string,
): Promise<void> {
  const devEUIs = awaited.take(gatewayID);
  if (devEUIs.length === 0) return;
  const at = clock.now().getTime();
  await state.commit({ writes: devEUIs.map((devEUI) => scheduleQueue(devEUI, at)), effects: [] }).catch((error) => {
    log.warn({ err: error, gatewayID }, 'What waits for a gateway that is back leaves within a minute.');
  });
}

/** Removes an item unless it was sent since it was read. */
export function withdrawal(item: QueueItem): Write {
  return { kind: 'deleteQueueItem', devEUI: item.devEUI, id: item.id, unchanged: item };
}

/** Whether an item is encrypted for that session. */
export function isFor({ id }: DeviceSession, { sessionID }: QueueItem): boolean {
  return sessionID === id || sessionID === '';
}

/**
 * Prepares the queue of a device for sending. A confirmed item that was sent and not acknowledged (in class A by this
 * uplink, else in time) is dropped, and so is one whose time is over. Items whose counter has been used get new ones and are encrypted again, unless the
 * identical frame would be sent once more (`leavesAgain`). An item that is encrypted for another session is dropped.
 */
export async function usableQueue(
  network: Network,
  session: DeviceSession,
  queue: readonly QueueItem[],
  leavesAgain: (items: readonly QueueItem[]) => boolean = () => false,
): Promise<UsableQueue> {
  const { applicationServer, clock } = network;
  const now = clock.now().getTime();
  const { devEUI } = session;
  const devEui = Uint8Array.fromHex(devEUI);
  const usable: UsableQueue = { items: [], writes: [], effects: [], heldUntil: null };
  const giveUp = async (item: QueueItem, step: DownlinkStep, effect: Promise<Effect>) => {
    usable.writes.push({ kind: 'deleteQueueItem', devEUI, id: item.id });
    usable.effects.push(...(await effectOf(network, effect, devEUI)), reportItem(network, item, step));
  };
  for (const stored of queue) {
    const item = withCorrectedClock(stored, now);
    if (item !== stored) usable.writes.push({ kind: 'updateQueueItem', item });
    const { fCnt } = item;
    if (!isFor(session, item)) {
      const error = 'the session it was queued for is over';
      const event = { devEui, type: 'DEVICE_QUEUE_ITEM_FCNT', error, fCnt } as const;
      await giveUp(item, 'SESSION_REPLACED', applicationServer.handleError(event));
    } else if (item.isPending && !isAwaited(session, item, now)) {
      const acknowledgement = { devEui, fCnt, acknowledged: false };
      await giveUp(item, 'UNACKNOWLEDGED', applicationServer.handleDownlinkACK(acknowledgement));
    } else if (isExpired(item, now)) {
      usable.writes.push(withdrawal(item));
      usable.effects.push(reportItem(network, item, 'EXPIRED'));
    } else usable.items.push(item);
  }
  const next = session[dataCounterOf(session)];
  const [head] = usable.items;
  usable.heldUntil = head ? heldUntil(session, head, now) : null;
  if (usable.heldUntil !== null) usable.items = [];
  else if (head && head.fCnt < next && !leavesAgain(usable.items)) await numberAnew();
  return usable;

  async function numberAnew() {
    usable.items = await encryptAgain(network, session, usable.items);
    if (usable.items.length === 0) usable.heldUntil = now + refusedForMs;
    for (const item of usable.items) usable.writes.push({ kind: 'updateQueueItem', item });
  }
}

/** A device that always listens has some time to acknowledge. */
function isAwaited({ mode }: DeviceSession, { timeoutAt }: QueueItem, now: number): boolean {
  return mode !== 'A' && timeoutAt !== null && timeoutAt > now;
}

/** Sends one item after the other: the next one would overtake the one that waits for its gateway. */
function heldUntil({ mode }: DeviceSession, { isPending, timeoutAt, notBefore }: QueueItem, now: number) {
  const until = isPending ? timeoutAt : notBefore;
  return mode !== 'A' && until !== null && until > now ? until : null;
}

/**
 * Gives all items new counters from the next free one of the session; only the application can encrypt them. With
 * `move`, they belong to the previous session, and the application does not know the new one yet. Returns none when the
 * application refuses: they wait.
 */
export async function encryptAgain(
  network: Network,
  session: DeviceSession,
  items: readonly QueueItem[],
  move?: SessionMove,
): Promise<QueueItem[]> {
  const { id, devEUI, devAddr } = session;
  const request = {
    devEui: Uint8Array.fromHex(devEUI),
    devAddr: Uint8Array.fromHex(devAddr),
    fCntStart: session[dataCounterOf(session)],
    items: items.map(({ frmPayload, fCnt, fPort, confirmed }) => ({ frmPayload, fCnt, fPort, confirmed })),
  };
  try {
    const answer = await network.applicationServer.reEncryptDeviceQueueItems(request, move);
    return items.map((item, position) => {
      const encrypted = answer.items[position];
      if (!encrypted) throw new RpcError('Internal', 'The application answered with fewer items than it was given.');
      const { fCnt, frmPayload } = encrypted;
      const fresh = { hasLeft: false, timeoutAt: null, notBefore: null };
      return { ...item, ...fresh, fCnt, frmPayload, sessionID: id, isForNextSession: false };
    });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    noteRefusal(network, devEUI, error, 'The queue was not encrypted anew.');
    return [];
  }
}
