/** The LoRaWAN frames of a device, from the events that they caused. */
import type { EventPayloads, FrameLogItem, PartOf } from '@hilltop/contract';
import { type FrameFilter, matchesFrames } from '@hilltop/contract/matches-frames';
import { anyFrameToJson } from '@hilltop/lorawan';
import type { HistoryEvent } from './part.ts';
import { phyOf, type SelectEvent, withoutPhy } from './select.ts';

/** The kinds of events that a frame causes. */
export const kindsWithFrame = ['up', 'txack', 'frame', 'dropped'] as const;

/** Members of the payloads of these events. */
type FramePayload = PartOf<EventPayloads['up'] & EventPayloads['txack']> & {
  readonly direction?: 'up' | 'down';
  readonly reason?: string;
};

/** The frames that match, as events whose payload is the frame in the form of the frame stream. */
export function framesMatching(filter: FrameFilter): SelectEvent {
  const matches = matchesFrames(filter);
  return (event) => {
    const frame = frameOf(event);
    if (!frame || !matches(frame)) return undefined;
    return { ...event, payload: JSON.stringify(frame), note: withoutPhy(event.note) };
  };
}

function frameOf({ type, payload: payloadJSON, note }: HistoryEvent): PartOf<FrameLogItem> | undefined {
  const phy = phyOf(note);
  if (phy === undefined) return undefined;
  const payload = JSON.parse(payloadJSON) as FramePayload;
  const { txInfo, rxInfo = [] } = payload;
  const publishedAt = payload.publishedAt ?? '';
  const gatewayID = payload.gatewayID ?? '';
  const direction = payload.direction ?? (type === 'txack' ? 'down' : 'up');
  const isDropped = type === 'dropped';
  const decoded = anyFrameToJson(Buffer.from(phy, 'base64'), { macCommandsDecoded: !isDropped, direction });
  const phyPayloadJSON = JSON.stringify({ ...decoded, ...(isDropped && { dropped: payload.reason }) });
  if (direction === 'up') return { uplinkFrame: { txInfo, rxInfo, phyPayloadJSON, publishedAt } };
  const inHex = type === 'txack' ? Buffer.from(gatewayID, 'base64').toString('hex') : gatewayID;
  return { downlinkFrame: { txInfo, phyPayloadJSON, gatewayID: inHex, publishedAt } };
}
