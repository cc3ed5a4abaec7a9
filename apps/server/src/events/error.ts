import type { as, integration } from '@hilltop/protobuf';
import type { ServerEffect } from './effect.ts';
import { buildEvent } from './event.ts';
import { type EventDependencies, requireDevice } from './event-dependencies.ts';

const types: Record<as.ErrorType, integration.ErrorType> = {
  GENERIC: 'UNKNOWN',
  OTAA: 'OTAA',
  DATA_UP_FCNT_RESET: 'UPLINK_FCNT_RESET',
  DATA_UP_MIC: 'UPLINK_MIC',
  DEVICE_QUEUE_ITEM_SIZE: 'DOWNLINK_PAYLOAD_SIZE',
  DEVICE_QUEUE_ITEM_FCNT: 'DOWNLINK_FCNT',
  DATA_UP_FCNT_RETRANSMISSION: 'UPLINK_FCNT_RETRANSMISSION',
  DATA_DOWN_GATEWAY: 'DOWNLINK_GATEWAY',
};

/** The network server could not do something for a device. */
export async function onError(needs: EventDependencies, request: as.HandleErrorRequest): Promise<ServerEffect> {
  const at = needs.clock.now();
  const device = await requireDevice(needs, request.devEui, 'Internal');
  const { type, error, fCnt } = request;
  return needs.recorder.record({
    about: `error ${type} of ${device.devEUI}`,
    devEUI: device.devEUI,
    at,
    events: [buildEvent('error', device, at, { type: types[type] ?? 'UNKNOWN', error, fCnt })],
    counters: { [`error_${type}`]: 1 },
  });
}
