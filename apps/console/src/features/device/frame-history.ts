import type { HistoryFrame } from '@hilltop/contract';
import { api } from '../../api/client.ts';
import { type FrameItem, frameKind, phyPayloadOf } from '../../components/frame-log/frame-kind.ts';
import type { FrameLogFilter } from '../../components/frame-log/use-frame-filter.ts';
import type { LogKind } from '../../components/live-log/log-kind.ts';
import { compareOrder } from '../../components/live-log/log-order.ts';
import type { LogHistory } from '../../components/live-log/log-source.ts';
import { filterNow } from '../../components/live-log/use-address-filter.ts';

/** A frame of the stream of a device. Those of the history have the id of their event. */
export type DeviceFrameItem = FrameItem & { readonly streamID?: string };

/** A live and a stored frame are the same when they have the same time, type and MIC: the stored one has fewer details. */
export const deviceFrameKind: LogKind<DeviceFrameItem> = {
  ...frameKind,
  identityOf: (item) => {
    let identity = identities.get(item);
    if (identity === undefined) {
      const { mhdr, mic } = phyPayloadOf(item);
      identity = `${mhdr?.mType} ${mic}`;
      identities.set(item, identity);
    }
    return identity;
  },
};

/** Logs ask for it often, and it is in JSON. */
const identities = new WeakMap<DeviceFrameItem, string>();

/** The events from the time of a live frame on begin with its own, which is stored a moment later. */
const cursorOf = (item: DeviceFrameItem): string => item.streamID ?? `${deviceFrameKind.orderOf(item)[0]}-0`;

const itemOf = ({ streamID, uplinkFrame, downlinkFrame, noteJSON }: HistoryFrame): DeviceFrameItem => ({
  ...(uplinkFrame && { uplinkFrame }),
  ...(downlinkFrame && { downlinkFrame }),
  noteJSON,
  streamID,
});

/** Events of an instant may be stored in another order than their frames were shown. */
const newestFirst = (one: DeviceFrameItem, other: DeviceFrameItem) =>
  compareOrder(deviceFrameKind.orderOf(other), deviceFrameKind.orderOf(one));

interface FrameHistoryOptions {
  filter: FrameLogFilter;
  around: string | undefined;
  /** Called with whether the network server of the device reports no frames. */
  onRemote: (isRemote: boolean) => void;
}

/** The stored frames of a device that match. */
export function frameHistory(
  devEUI: string,
  { filter, around, onRemote }: FrameHistoryOptions,
): LogHistory<DeviceFrameItem> {
  return {
    cursorOf,
    hasMoreOf: ({ streamID }) => streamID === undefined,
    // The stream has all gateways.
    completed: (shown, stored) => ({ ...stored, ...shown, ...(stored.streamID && { streamID: stored.streamID }) }),
    around,
    read: async (request, signal) => {
      const { kinds = [], ...rest } = filterNow(filter);
      const asked = { devEUI, ...rest, kinds: [...kinds], ...request };
      const { result, isRemote, ...page } = await api.history.listFrames(asked, { signal });
      onRemote(isRemote);
      return { ...page, items: result.map(itemOf).sort(newestFirst) };
    },
  };
}
