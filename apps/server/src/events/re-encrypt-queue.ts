import { cryptFRMPayload } from '@hilltop/lorawan';
import type { SessionMove } from '@hilltop/network-server';
import { type as, RpcError } from '@hilltop/protobuf';
import { sessionKeysOf } from './activation.ts';
import { type EventDependencies, requireDevice } from './event-dependencies.ts';

/**
 * Queued downlinks got other frame counters, so their payloads need other key streams: each is decrypted with its own
 * counter and encrypted with `fCntStart`, `fCntStart` + 1 and so on. With `move` they go over to an activation that the
 * uplink about to come will tell of.
 */
export async function reEncryptQueue(
  needs: EventDependencies,
  request: as.ReEncryptDeviceQueueItemsRequest,
  move?: SessionMove,
): Promise<as.ReEncryptDeviceQueueItemsResponse> {
  const device = await requireDevice(needs, request.devEui, 'NotFound');
  const from = sessionKeysOf(needs, device, move?.from);
  const to = move ? sessionKeysOf(needs, device, move.to) : from;
  if (request.devAddr.toHex() !== to.devAddr || from.appSKey.length === 0) {
    throw new RpcError(
      'FailedPrecondition',
      'The device has another DevAddr by now: its queue cannot be encrypted anew.',
    );
  }
  const crypt = ({ devAddr, appSKey }: typeof from, fCnt: number, bytes: Uint8Array) =>
    cryptFRMPayload(appSKey, { devAddr, fCnt, direction: 'down' }, bytes);
  return {
    items: request.items.map((item, index) => {
      const fCnt = request.fCntStart + index;
      return { ...item, fCnt, frmPayload: crypt(to, fCnt, crypt(from, item.fCnt, item.frmPayload)) };
    }),
  };
}
