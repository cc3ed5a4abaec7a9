import { type as, RpcError } from '@hilltop/protobuf';
import type { ServerEffect } from './effect.ts';
import { buildEvent } from './event.ts';
import { type EventDependencies, requireDevice } from './event-dependencies.ts';

/** A device was located. */
export async function onLocation(
  needs: EventDependencies,
  request: as.SetDeviceLocationRequest,
): Promise<ServerEffect> {
  const { location, uplinkIds: uplinkIDs } = request;
  if (!location) throw new RpcError('InvalidArgument', 'The location is missing.');
  const at = needs.clock.now();
  const device = await requireDevice(needs, request.devEui, 'NotFound');
  const { latitude, longitude, altitude } = location;
  return needs.recorder.record({
    about: `location of ${device.devEUI}`,
    devEUI: device.devEUI,
    at,
    change: { latitude, longitude, altitude },
    events: [buildEvent('location', device, at, { location, uplinkIDs })],
  });
}
