import type { as } from '@hilltop/protobuf';
import type { ServerEffect } from './effect.ts';
import { buildEvent } from './event.ts';
import { type EventDependencies, requireDevice } from './event-dependencies.ts';

/** A device told its battery level (percent) and link margin (dB). */
export async function onStatus(needs: EventDependencies, request: as.SetDeviceStatusRequest): Promise<ServerEffect> {
  const at = needs.clock.now();
  const device = await requireDevice(needs, request.devEui, 'NotFound');
  const { margin, externalPowerSource, batteryLevelUnavailable } = request;
  const batteryLevel = Math.round(request.batteryLevel * 100) / 100;
  const isLevelKnown = !batteryLevelUnavailable && !externalPowerSource;
  return needs.recorder.record({
    about: `status of ${device.devEUI}`,
    devEUI: device.devEUI,
    at,
    change: {
      margin,
      external_power_source: externalPowerSource && !batteryLevelUnavailable,
      battery_level: isLevelKnown ? batteryLevel : null,
    },
    events: [buildEvent('status', device, at, { margin, externalPowerSource, batteryLevelUnavailable, batteryLevel })],
  });
}
