import type { Device, JoinCheck } from '@hilltop/contract';
import { reversedHex } from '@hilltop/lorawan/tr005';
import { api } from '../../api/client.ts';

/** Corrections that change the device; each is made by calls that exist for other screens too. */

export async function enable(devEUI: string): Promise<void> {
  const { device } = await api.device.get({ devEUI });
  await api.device.update({ device: { ...device, isDisabled: false } });
}

/** Stores the key that signed the last join-request. */
export async function takeKey(devEUI: string, { finding, parameters }: JoinCheck): Promise<void> {
  const { deviceKeys: keys } = await api.device.getKeys({ devEUI });
  const { nwkKey, appKey } = keys;
  if (finding === 'KEYS_EXCHANGED') return void (await update({ nwkKey: appKey, appKey: nwkKey }));
  if (finding === 'KEY_REVERSED') return void (await update({ nwkKey: reversedHex(nwkKey) }));
  const { deviceKeys: other } = await api.device.getKeys({ devEUI: parameters['other'] ?? '' });
  await update({ nwkKey: other.nwkKey });

  function update(changed: Partial<typeof keys>) {
    return api.device.updateKeys({ deviceKeys: { ...keys, ...changed } });
  }
}

const longestName = 100;

/**
 * Creates the same device with another EUI and deletes this one. Two devices of an application cannot have the same
 * name, so the new one gets its name last.
 */
export async function recreate(devEUI: string, eui: string): Promise<Device> {
  const { device } = await api.device.get({ devEUI });
  const keys = await api.device.getKeys({ devEUI }).catch(() => undefined);
  const created: Device = { ...device, devEUI: eui };
  const suffix = `-${eui.slice(-4)}`;
  await api.device.create({ device: { ...created, name: device.name.slice(0, longestName - suffix.length) + suffix } });
  if (keys) await api.device.createKeys({ deviceKeys: { ...keys.deviceKeys, devEUI: eui } });
  await api.device.delete({ devEUI });
  await api.device.update({ device: created });
  return created;
}
