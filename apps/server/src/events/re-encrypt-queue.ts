import { cryptFRMPayload } from '@hilltop/lorawan';
import type { SessionMove } from '@hilltop/network-server';
import { type as, RpcError } from '@hilltop/protobuf';
import { sessionKeysOf } from './activation.ts';
import { type EventDependencies, requireDevice } from './event-dependencies.ts';

/**
 * Encrypts queued downlinks for other frame counters: decrypts each with its own counter and encrypts it with `fCntStart`,
 * `fCntStart` + 1 and so on. With `move`, encrypts them for a new activation, which the next uplink will report.
 */
export async function reEncryptQueue(
  dependencies: EventDependencies,
  request: as.ReEncryptDeviceQueueItemsRequest,
  move?: SessionMove,
): Promise<as.ReEncryptDeviceQueueItemsResponse> {
  const device = await requireDevice(dependencies, request.devEui, 'NotFound');
  const from = sessionKeysOf(dependencies, device, move?.from);
  const to = move ? sessionKeysOf(dependencies, device, move.to) : from;
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
