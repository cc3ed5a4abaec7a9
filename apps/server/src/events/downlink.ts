import type { SentDownlink } from '@hilltop/network-server';
import type { as } from '@hilltop/protobuf';
import type { ServerEffect } from './effect.ts';
import { buildEvent } from './event.ts';
import { type EventDependencies, requireDevice } from './event-dependencies.ts';
import { noteOfFrame } from './frame.ts';

/** A device acknowledged a confirmed downlink, or the time for that has passed. */
export async function onAck(
  dependencies: EventDependencies,
  request: as.HandleDownlinkACKRequest,
): Promise<ServerEffect> {
  const at = dependencies.clock.now();
  const device = await requireDevice(dependencies, request.devEui, 'Internal');
  const { acknowledged, fCnt } = request;
  const events = [buildEvent('ack', device, at, { acknowledged, fCnt })];
  return dependencies.recorder.record({
    about: `acknowledgement of ${fCnt} by ${device.devEUI}`,
    devEUI: device.devEUI,
    at,
    events,
  });
}

/** A gateway sent a downlink. */
export async function onTxAck(
  dependencies: EventDependencies,
  request: as.HandleTxAckRequest,
  sent?: SentDownlink,
): Promise<ServerEffect> {
  const at = sent?.logged?.publishedAt ?? dependencies.clock.now();
  const device = await requireDevice(dependencies, request.devEui, 'Internal');
  const { fCnt, gatewayId: gatewayID, txInfo } = request;
  const event = buildEvent('txack', device, at, { fCnt, gatewayID, txInfo });
  const events = [sent ? { ...event, note: noteOfFrame(sent) } : event];
  return dependencies.recorder.record({
    about: `transmission of ${fCnt} to ${device.devEUI}`,
    devEUI: device.devEUI,
    at,
    events,
    counters: { tx_count: 1 },
  });
}
