import { cryptFRMPayload } from '@hilltop/lorawan';
import { type as, RpcError } from '@hilltop/protobuf';
import { deviceOf, type EventNeeds } from './event-needs.ts';

/**
 * Queued downlinks got other frame counters, so their payloads need other key streams: each is decrypted with its own
 * counter and encrypted with `fCntStart`, `fCntStart` + 1 and so on.
 */
export async function reEncryptQueue(
  needs: EventNeeds,
  request: as.ReEncryptDeviceQueueItemsRequest,
): Promise<as.ReEncryptDeviceQueueItemsResponse> {
  const { devAddr, appSKey } = await deviceOf(needs, request.devEui, 'NotFound');
  if (request.devAddr.toHex() !== devAddr) {
    throw new RpcError(
      'FailedPrecondition',
      'The device has another DevAddr by now: its queue cannot be encrypted anew.',
    );
  }
  const crypt = (fCnt: number, bytes: Uint8Array) =>
    cryptFRMPayload(appSKey, { devAddr, fCnt, direction: 'down' }, bytes);
  return {
    items: request.items.map((item, index) => {
      const fCnt = request.fCntStart + index;
      return { ...item, fCnt, frmPayload: crypt(fCnt, crypt(item.fCnt, item.frmPayload)) };
    }),
  };
}
