import { type ns, RpcError } from '@hilltop/protobuf';
import { isFor, scheduleQueue } from '../downlink/queue.ts';
import type { Network } from '../network/network.ts';
import { dataCounterOf } from '../session/downlink-counter.ts';
import type { DeviceSession } from '../state/session.ts';
import type { Write } from '../state/state.ts';
import { notFound, required, toDevEUI } from './identifiers.ts';

type Methods =
  | 'createDeviceQueueItem'
  | 'flushDeviceQueueForDevEUI'
  | 'getDeviceQueueItemsForDevEUI'
  | 'getNextDownlinkFCntForDevEUI';

/** The encrypted downlinks of the application for a device. */
export function queueMethods(network: Network): Pick<ns.NetworkServerService, Methods> {
  const { state, random, clock } = network;

  async function sessionsOf(devEUI: string): Promise<{ session: DeviceSession; isRejoining: boolean }> {
    const { current, pending } = await state.sessions(devEUI);
    if (!current) throw notFound('device session');
    return { session: current, isRejoining: pending !== null };
  }

  return {
    async createDeviceQueueItem(request) {
      const { devEui, devAddr, fPort, fCnt, frmPayload, confirmed } = required(request.item, 'queue item');
      const devEUI = toDevEUI(devEui);
      const { session, isRejoining } = await sessionsOf(devEUI);
      if (fPort === 0) throw new RpcError('InvalidArgument', 'FPort 0 is for MAC commands. Choose one from 1 to 223.');
      if (devAddr.length > 0 && devAddr.toHex() !== session.devAddr) {
        throw new RpcError('InvalidArgument', 'The device has another DevAddr by now. Encrypt the item for that one.');
      }
      const item = { id: random(16).toHex(), devEUI, fCnt, fPort, frmPayload, confirmed };
      const owner = { sessionID: session.id, isForNextSession: isRejoining };
      const waiting = {
        hasLeft: false,
        isPending: false,
        attempts: 0,
        timeoutAt: null,
        notBefore: null,
        pingSlotAt: null,
      };
      const writes: Write[] = [{ kind: 'insertQueueItem', item: { ...item, ...owner, ...waiting } }];
      if (session.mode !== 'A') writes.push(scheduleQueue(devEUI, clock.now().getTime()));
      await state.commit({ writes, effects: [] });
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
      const { session } = await sessionsOf(devEUI);
      const last = (await state.queue(devEUI)).findLast((item) => isFor(session, item));
      const next = session[dataCounterOf(session)];
      return { fCnt: last ? Math.max(last.fCnt + 1, next) : next };
    },
  };
}
