import { type as, RpcError } from '@hilltop/protobuf';
import type { ServerEffect } from './effect.ts';
import { buildEvent } from './event.ts';
import { type EventDependencies, requireDevice } from './event-dependencies.ts';

/** The network server has located a device. */
export async function onLocation(
  dependencies: EventDependencies,
  request: as.SetDeviceLocationRequest,
): Promise<ServerEffect> {
  const { location, uplinkIds: uplinkIDs } = request;
  if (!location) throw new RpcError('InvalidArgument', 'The location is missing.');
  const at = dependencies.clock.now();
  const device = await requireDevice(dependencies, request.devEui, 'NotFound');
  const { latitude, longitude, altitude } = location;
  return dependencies.recorder.record({
    about: `location of ${device.devEUI}`,
    devEUI: device.devEUI,
    at,
    change: { latitude, longitude, altitude },
    events: [buildEvent('location', device, at, { location, uplinkIDs })],
  });
}
