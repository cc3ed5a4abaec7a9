import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { Effect } from '../state/effect.ts';
import type { DeviceSession } from '../state/session.ts';
import type { QueueItem } from '../state/state.ts';

/** Informs the application about an item that is too large for every window. */
export function tooLarge(network: Network, { devEUI }: DeviceSession, { fCnt }: QueueItem): Promise<Effect[]> {
  const error = 'payload exceeds max payload size';
  const event = { devEui: Uint8Array.fromHex(devEUI), type: 'DEVICE_QUEUE_ITEM_SIZE', error, fCnt } as const;
  return effectOf(network, network.applicationServer.handleError(event), devEUI);
}
