import type { MacCommandNote } from '@hilltop/contract';
import type { as } from '@hilltop/protobuf';
import type { ServerEffect } from './effect.ts';
import { buildEvent } from './event.ts';
import { type EventDependencies, requireDevice } from './event-dependencies.ts';

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
  mac: readonly MacCommandNote[] = [],
): Promise<ServerEffect> {
  const at = dependencies.clock.now();
  const device = await requireDevice(dependencies, request.devEui, 'Internal');
  const { fCnt, gatewayId: gatewayID, txInfo } = request;
  const event = buildEvent('txack', device, at, { fCnt, gatewayID, txInfo });
  const events = [mac.length > 0 ? { ...event, note: { mac } } : event];
  return dependencies.recorder.record({
    about: `transmission of ${fCnt} to ${device.devEUI}`,
    devEUI: device.devEUI,
    at,
    events,
    counters: { tx_count: 1 },
  });
}
