import type { Client } from '@hilltop/contract/client';
import type { Rxpk } from '@hilltop/gateway-protocols';
import {
  createDevice,
  type Device,
  type DeviceOptions,
  rxpkOf,
  seededRandom,
  type Transmission,
} from '@hilltop/simulator';
import { type BaseRecords, forEach, numbered } from './base-records.ts';
import type { Gateways } from './gateways.ts';
import { pace, settled } from './pace.ts';

/** Simulated devices that are registered at the server. */
export interface Fleet {
  devEUIs: string[];
  devices: Device[];
}

const random = seededRandom(1);

/** An ABP device that sends with DR5 in EU868. */
export const personalizedDevice = (
  devEUI: string,
  session: NonNullable<DeviceOptions['session']>,
  listening: Pick<DeviceOptions, 'classB' | 'classC'> = {},
): Device =>
  createDevice({ devEUI, session: { ...session, dataRate: 5 }, region: 'EU868', adr: false, random, ...listening });

/** Creates ABP devices. They neither join nor cause downlinks, so a run measures uplinks only. */
export async function createABPFleet(
  client: Client,
  ground: BaseRecords,
  count: number,
  {
    first = 0,
    profile = ground.profiles.personalized,
    listening = {} as Pick<DeviceOptions, 'classB' | 'classC'>,
  } = {},
): Promise<Fleet> {
  const fleet: Fleet = { devEUIs: [], devices: [] };
  for (let index = first; index < first + count; index += 1) {
    const devEUI = numbered('ab', index, 16);
    fleet.devEUIs.push(devEUI);
    const session = { devAddr: numbered('00', index, 8), keys: sessionKeys(index) };
    fleet.devices.push(personalizedDevice(devEUI, session, listening));
  }
  await forEach(count, async (nth) => {
    const index = first + nth;
    const devEUI = fleet.devEUIs[nth]!;
    await client.device.create({ device: deviceOf(devEUI, ground, profile) });
    const { nwkSKey, appSKey } = sessionKeys(index);
    const keys = { appSKey, nwkSEncKey: nwkSKey, sNwkSIntKey: nwkSKey, fNwkSIntKey: nwkSKey };
    const counters = { fCntUp: 0, nFCntDown: 0, aFCntDown: 0 };
    await client.device.activate({
      deviceActivation: { devEUI, devAddr: numbered('00', index, 8), ...keys, ...counters },
    });
  });
  return fleet;
}

/** Sends one uplink of each device, and waits for the acknowledgements. */
export async function sendOneOfEach({ devices }: Fleet, gateways: Gateways): Promise<void> {
  let acknowledged = 0;
  gateways.onAcknowledged = () => (acknowledged += 1);
  await pace(500, devices.length, (index) =>
    gateways.send(index, gateways.prepare(index, receptionOf(devices[index]!.uplink({ fPort: 1 }), index * 100))),
  );
  await settled(devices.length, () => acknowledged);
}

/** Creates OTAA devices. */
export async function createOTAAFleet(client: Client, ground: BaseRecords, count: number): Promise<Fleet> {
  const fleet: Fleet = { devEUIs: [], devices: [] };
  for (let index = 0; index < count; index += 1) {
    const devEUI = numbered('0a', index, 16);
    fleet.devEUIs.push(devEUI);
    fleet.devices.push(createDevice({ devEUI, joinEUI, nwkKey: rootKey(index), region: 'EU868', devNonce: 0, random }));
  }
  await forEach(count, async (index) => {
    const devEUI = fleet.devEUIs[index]!;
    await client.device.create({ device: deviceOf(devEUI, ground, ground.profiles.joining) });
    await client.device.createKeys({ deviceKeys: { devEUI, nwkKey: rootKey(index) } });
  });
  return fleet;
}

const joinEUI = '0000000000000001';
const sessionKeys = (index: number) => ({ nwkSKey: numbered('11', index, 32), appSKey: numbered('22', index, 32) });

export function rootKey(index: number): string {
  return numbered('33', index, 32);
}

/** The device in the form of the API. */
export function deviceOf(devEUI: string, { applicationID }: BaseRecords, deviceProfileID: string) {
  return { devEUI, name: `device-${devEUI}`, description: 'bench', applicationID, deviceProfileID };
}

/** The reception as a gateway near the device reports it; each uplink has another concentrator time. */
export function receptionOf(transmission: Transmission, tmst: number): Rxpk {
  return rxpkOf(transmission, { rssi: -61, snr: 8.5 }, { tmst, time: new Date() });
}
