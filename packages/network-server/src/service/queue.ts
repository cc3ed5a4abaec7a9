import { type as, type ns, RpcError } from '@hilltop/protobuf';
import { isInFlight } from '../downlink/in-flight.ts';
import { isFor, scheduleQueue, withdrawal } from '../downlink/queue.ts';
import { reportItem } from '../downlink/report.ts';
import type { Network } from '../network/network.ts';
import { dataCounterOf } from '../session/downlink-counter.ts';
import { newActivationOf } from '../session/new-activation.ts';
import type { Effect } from '../state/effect.ts';
import type { DeviceSession } from '../state/session.ts';
import type { QueueItem, Write } from '../state/state.ts';
import { notFound, required, toDevEUI } from './identifiers.ts';

type Methods =
  | 'createDeviceQueueItem'
  | 'flushDeviceQueueForDevEUI'
  | 'getDeviceQueueItemsForDevEUI'
  | 'getNextDownlinkFCntForDevEUI';

/** What the `ns` service has no members for. */
export interface QueueOptions {
  /** Names the item in reports. */
  id: string;
  /** Milliseconds since 1970. */
  expiresAt?: number | undefined;
}

/** An item for the end of a queue, and what the application writes with it. */
export interface ComposedItem {
  item: ns.DeviceQueueItem;
  effects: Effect[];
}

interface Sessions {
  session: DeviceSession;
  isRejoining: boolean;
}

/** Adds an item that `compose` encrypts for the end of the queue of its device. Answers its frame counter. */
export async function enqueue(
  network: Network,
  devEUI: string,
  compose: (end: QueueEnd) => Promise<ComposedItem>,
  options: QueueOptions & { leaseUntil?: number | undefined },
): Promise<number> {
  const [sessions, queue] = await awaitAll([sessionsOf(network, devEUI), network.state.queue(devEUI)]);
  const { item, effects } = await compose(queueEnd(sessions.session, queue));
  await insert(network, sessions, { item, effects }, options);
  return item.fCnt;
}

/** Both run at the same time. The first failure counts, because the other one can follow from it. */
async function awaitAll<One, Other>(both: readonly [Promise<One>, Promise<Other>]): Promise<[One, Other]> {
  await Promise.allSettled(both);
  return Promise.all(both);
}

async function insert(
  network: Network,
  { session, isRejoining }: Sessions,
  { item: given, effects }: ComposedItem,
  { id, expiresAt, leaseUntil }: QueueOptions & { leaseUntil?: number | undefined },
): Promise<void> {
  const { devEui, devAddr, fPort, fCnt, frmPayload, confirmed } = given;
  const devEUI = toDevEUI(devEui);
  if (fPort === 0) throw new RpcError('InvalidArgument', 'FPort 0 is for MAC commands. Choose one from 1 to 223.');
  if (devAddr.length > 0 && devAddr.toHex() !== session.devAddr) {
    throw new RpcError('InvalidArgument', 'The device has another DevAddr by now. Encrypt the item for that one.');
  }
  const item = { id, devEUI, fCnt, fPort, frmPayload, confirmed, ...(expiresAt !== undefined && { expiresAt }) };
  const owner = { sessionID: session.id, isForNextSession: isRejoining };
  const waiting = { hasLeft: false, isPending: false, attempts: 0, timeoutAt: null, notBefore: null, pingSlotAt: null };
  const writes: Write[] = [{ kind: 'insertQueueItem', item: { ...item, ...owner, ...waiting } }];
  if (session.mode !== 'A') writes.push(scheduleQueue(devEUI, network.clock.now().getTime(), leaseUntil));
  else if (expiresAt !== undefined) writes.push(scheduleQueue(devEUI, expiresAt));
  await network.state.commit({ writes, effects });
}

/** `unknown`: it is not in the queue, or not any more. */
export type Cancellation = 'canceled' | 'in flight' | 'unknown';

const cancelAttempts = 3;

/** Removes an item from the queue, unless it is being sent. */
export async function cancel(network: Network, devEUI: string, id: string, by?: string): Promise<Cancellation> {
  const { state, clock } = network;
  for (let attempt = 0; attempt < cancelAttempts; attempt++) {
    const item = (await state.queue(devEUI)).find((one) => one.id === id);
    if (!item) return 'unknown';
    if (isInFlight(item, clock.now().getTime())) return 'in flight';
    const effects = [reportItem(network, item, 'CANCELED', by === undefined ? {} : { by })];
    if (await state.commit({ writes: [withdrawal(item)], effects })) return 'canceled';
  }
  return 'in flight';
}

async function sessionsOf({ state }: Network, devEUI: string): Promise<Sessions> {
  const { current, pending } = await state.sessions(devEUI);
  if (!current) throw notFound('device session');
  return { session: current, isRejoining: pending !== null };
}

/** The end of the queue of a device, where the next item is added. */
export interface QueueEnd {
  /** How many items wait. */
  readonly count: number;
  readonly nextFCnt: number;
  /** Of a session that no event has reported yet; else null. */
  readonly activation: as.DeviceActivationContext | null;
}

function queueEnd(session: DeviceSession, queue: readonly QueueItem[]): QueueEnd {
  const waiting = queue.filter((item) => isFor(session, item));
  const last = waiting.at(-1);
  const next = session[dataCounterOf(session)];
  return {
    count: waiting.length,
    nextFCnt: last ? Math.max(last.fCnt + 1, next) : next,
    activation: newActivationOf(session),
  };
}

/** The encrypted downlinks of the application for a device. */
export function queueMethods(network: Network): Pick<ns.NetworkServerService, Methods> {
  const { state, random } = network;

  return {
    async createDeviceQueueItem({ item }) {
      const added = { item: required(item, 'queue item'), effects: [] };
      await insert(network, await sessionsOf(network, toDevEUI(added.item.devEui)), added, { id: random(16).toHex() });
      return {};
    },
    async flushDeviceQueueForDevEUI({ devEui }) {
      await state.commit({ writes: [{ kind: 'flushQueue', devEUI: toDevEUI(devEui) }], effects: [] });
      return {};
    },
    async getDeviceQueueItemsForDevEUI({ devEui, countOnly }) {
      const { current } = await state.sessions(toDevEUI(devEui));
      const queue = (await state.queue(toDevEUI(devEui))).filter((item) => current && isFor(current, item));
      if (countOnly) return { items: [], totalCount: queue.length };
      const devAddr = Uint8Array.fromHex(current?.devAddr ?? '');
      const items = queue.map(({ frmPayload, fCnt, fPort, confirmed }) => {
        return { devEui, devAddr, frmPayload, fCnt, fPort, confirmed };
      });
      return { items, totalCount: items.length };
    },
    async getNextDownlinkFCntForDevEUI({ devEui }) {
      const devEUI = toDevEUI(devEui);
      const { session } = await sessionsOf(network, devEUI);
      return { fCnt: queueEnd(session, await state.queue(devEUI)).nextFCnt };
    },
  };
}
