import type { Device } from '@hilltop/contract';
import type { ns } from '@hilltop/protobuf';
import { uuidBytes } from '../../identifiers.ts';

/** The part of a device that the network server stores: sent with every create and update, read with every get. */
export function toNetworkForm(device: Device, serviceProfileID: string, routingProfileId: Uint8Array): ns.Device {
  return {
    devEui: Uint8Array.fromHex(device.devEUI),
    deviceProfileId: uuidBytes(device.deviceProfileID),
    serviceProfileId: uuidBytes(serviceProfileID),
    routingProfileId,
    skipFCntCheck: device.skipFCntCheck,
    referenceAltitude: device.referenceAltitude,
    isDisabled: device.isDisabled,
  };
}

export function fromNetworkForm({ skipFCntCheck, referenceAltitude, isDisabled }: ns.Device) {
  return { skipFCntCheck, referenceAltitude, isDisabled };
}
