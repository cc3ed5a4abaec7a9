import { mTypes } from '@hilltop/lorawan';
import { sharedBytesOf } from '@hilltop/protobuf';
import type { FrameLogEntry } from '../network/frame-log.ts';
import type { Network } from '../network/network.ts';
import type { LoggedFrame } from '../ports/application-server.ts';
import type { Uplink } from '../radio/uplink.ts';

/** An uplink for the frame log of its device; `devAddr` is empty for a join-request. */
export function deviceFrameOf(
  network: Network,
  { phyPayload, txInfo, receptions }: Uplink,
  devEUI: string,
  devAddr: string,
): FrameLogEntry {
  const relays = receptions.flatMap(({ isRelay, gatewayID }) => (isRelay ? [gatewayID] : []));
  return {
    ...(relays.length > 0 && { relays }),
    uplinkFrameSet: {
      phyPayload,
      txInfo,
      rxInfo: receptions.map(({ rxInfo }) => rxInfo),
      mType: mTypes[(phyPayload[0] ?? 0) >>> 5] ?? 'Proprietary',
      devAddr: sharedBytesOf(devAddr),
      devEui: sharedBytesOf(devEUI),
      publishedAt: network.clock.now(),
    },
  };
}

/** An entry of the frame log, for the history of the device. */
export function loggedFrameOf({ uplinkFrameSet, relays, refused }: FrameLogEntry): LoggedFrame | null {
  if (!uplinkFrameSet?.publishedAt) return null;
  const { phyPayload, publishedAt } = uplinkFrameSet;
  return { phyPayload, publishedAt, ...(relays && { relays }), ...(refused && { refused: refused.reason }) };
}
