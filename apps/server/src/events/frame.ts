import type { FrameReport, LoggedFrame, SentDownlink } from '@hilltop/network-server';
import { gw, toJson } from '@hilltop/protobuf';
import type { StoredNote } from '../event-log/event.ts';
import type { ServerEffect } from './effect.ts';
import type { EventDependencies } from './event-dependencies.ts';
import type { OwnEvent } from './recorder.ts';

/** MAC commands and bytes of a frame, for the history. */
export const noteOfFrame = ({ mac, logged }: SentDownlink): StoredNote => ({
  ...(mac.length > 0 && { mac }),
  ...(logged && storedFrame(logged)),
});

/** What the history stores to show the frame. */
export const storedFrame = ({ phyPayload, relays, refused }: LoggedFrame): StoredNote => ({
  ...(relays && { relays }),
  ...(refused && { refused }),
  phy: phyPayload.toBase64(),
});

/** A frame that only the history shows: a join, a downlink without application data, or one that was refused. */
export async function onFrame(
  { recorder, clock }: Pick<EventDependencies, 'recorder' | 'clock'>,
  { devEUI, dropped, leftOut, frame, txInfo, rxInfo, logged, received, mac }: FrameReport,
): Promise<ServerEffect> {
  const note: StoredNote = { ...received, ...noteOfFrame({ mac, logged }) };
  const gateways = rxInfo.map((one) => toJson(gw.UplinkRXInfo, one));
  const payload = { ...frame, txInfo: txInfoJSON(txInfo), ...(gateways.length > 0 && { rxInfo: gateways }) };
  const omitted: OwnEvent[] = leftOut > 0 ? [{ kind: 'dropped', payload: { more: leftOut } }] : [];
  const event: OwnEvent =
    dropped === undefined
      ? { kind: 'frame', payload, note }
      : { kind: 'dropped', payload: { reason: dropped, ...payload }, note };
  return recorder.record({
    about: `${frame.mType} of ${devEUI}`,
    devEUI,
    at: logged?.publishedAt ?? clock.now(),
    events: [],
    ownEvents: [...omitted, event],
  });
}

function txInfoJSON(txInfo: FrameReport['txInfo']): object {
  if ('up' in txInfo) return toJson(gw.UplinkTXInfo, txInfo.up);
  // Bytes of the gateway for itself.
  const { context: _, ...shown } = toJson(gw.DownlinkTXInfo, txInfo.down);
  return shown;
}
