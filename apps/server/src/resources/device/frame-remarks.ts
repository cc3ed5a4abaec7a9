import type { FrameRemarks } from '@hilltop/network-server';

/** Names of devices, by DevEUI. */
export type DeviceNamesByEUI = ReadonlyMap<string, string>;

/**
 * The remarks of a frame, inside the JSON of the frame, because the recorded stream has no field for them. Relays of
 * other applications have no name here.
 */
export const remarksJSON = ({ refused, relays }: FrameRemarks, names: DeviceNamesByEUI) => ({
  ...(refused && { refused }),
  ...(relays && { relays: relays.map((devEUI) => ({ devEUI, name: names.get(devEUI) ?? '' })) }),
});
