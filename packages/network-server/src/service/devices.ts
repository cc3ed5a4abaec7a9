import type { ns } from '@hilltop/protobuf';
import { scheduleQueue } from '../downlink/queue.ts';
import type { Network } from '../network/network.ts';
import { notFound, required, toDevEUI, toUUID } from './identifiers.ts';
import { storedRecords, timesOf } from './stored.ts';

type Methods = 'createDevice' | 'getDevice' | 'updateDevice' | 'deleteDevice' | 'streamFrameLogsForDevice';

/** Devices and their frame logs. */
export function deviceMethods(network: Network): Pick<ns.NetworkServerService, Methods> {
  const devices = storedRecords(network, 'device', 'device');

  return {
    async createDevice(request) {
      const device = required(request.device, 'device');
      await devices.create(toDevEUI(device.devEui), await contentOf(network, device));
      return {};
    },
    async getDevice({ devEui }) {
      const device = await devices.find(toDevEUI(devEui));
      return {
        device: {
          devEui,
          deviceProfileId: Uint8Array.fromHex(device.deviceProfileID),
          serviceProfileId: Uint8Array.fromHex(device.serviceProfileID),
          routingProfileId: Uint8Array.fromHex(device.routingProfileID),
          skipFCntCheck: device.skipFCntCheck,
          referenceAltitude: device.referenceAltitude,
          isDisabled: device.isDisabled,
        },
        ...timesOf(device),
      };
    },
    async updateDevice(request) {
      const device = required(request.device, 'device');
      const devEUI = toDevEUI(device.devEui);
      await devices.update(devEUI, await contentOf(network, device));
      // Items that waited while the device was disabled may be sent now.
      if (!device.isDisabled) {
        const writes = [scheduleQueue(devEUI, network.clock.now().getTime())];
        await network.state.commit({ writes, effects: [] });
      }
      return {};
    },
    async deleteDevice({ devEui }) {
      await devices.remove(toDevEUI(devEui));
      return {};
    },
    streamFrameLogsForDevice: ({ devEui }, signal) => network.deviceFrames.read(toDevEUI(devEui), signal),
  };
}

/** The record for a request, whose profiles must exist. */
async function contentOf({ state }: Network, device: ns.Device) {
  const deviceProfileID = toUUID(device.deviceProfileId, 'device-profile');
  const serviceProfileID = toUUID(device.serviceProfileId, 'service-profile');
  const routingProfileID = toUUID(device.routingProfileId, 'routing-profile');
  const [deviceProfile, serviceProfile, routingProfile] = await Promise.all([
    state.get('deviceProfile', deviceProfileID),
    state.get('serviceProfile', serviceProfileID),
    state.get('routingProfile', routingProfileID),
  ]);
  if (!deviceProfile) throw notFound('device-profile');
  if (!serviceProfile) throw notFound('service-profile');
  if (!routingProfile) throw notFound('routing-profile');
  const { skipFCntCheck, referenceAltitude, isDisabled } = device;
  return { deviceProfileID, serviceProfileID, routingProfileID, skipFCntCheck, referenceAltitude, isDisabled };
}
