import { randomBytes } from 'node:crypto';
import {
  type Device,
  type DeviceProfile,
  type MulticastGroup,
  operations,
  type PartOf,
  type ServiceProfile,
} from '@hilltop/contract';
import { createDevice as createSimulatedDevice, type Gateway, startGateway } from '@hilltop/simulator';
import {
  createApplication,
  createDeviceProfile,
  createOrganization,
  createServiceProfile,
  networkServerID,
} from './factories.ts';
import type { TestApp } from './test-app.ts';
import { watch } from './watch.ts';

export const nwkKey = '000102030405060708090a0b0c0d0e0f';
const randomID = () => randomBytes(8).toString('hex');

export interface FieldContext {
  organizationID: string;
  serviceProfileID: string;
  deviceProfileID: string;
  applicationID: string;
}

/** An organization with everything a device requires. */
export async function createSurroundings(
  app: TestApp,
  profile: PartOf<DeviceProfile> = {},
  serviceProfile: PartOf<ServiceProfile> = {},
): Promise<FieldContext> {
  const organizationID = serviceProfile.organizationID ?? (await createOrganization(app));
  const serviceProfileID = await createServiceProfile(app, { ...serviceProfile, organizationID });
  const deviceProfileID = await createDeviceProfile(app, { organizationID, ...profile });
  const applicationID = await createApplication(app, { organizationID, serviceProfileID });
  return { organizationID, serviceProfileID, deviceProfileID, applicationID };
}

/** Creates a device with root keys and resolves with its DevEUI. */
export async function createDevice(
  app: TestApp,
  { applicationID, deviceProfileID }: FieldContext,
  device: PartOf<Device> = {},
): Promise<string> {
  const devEUI = device.devEUI ?? randomID();
  await app.call(operations.device.create, { device: { applicationID, deviceProfileID, ...device, devEUI } });
  await app.call(operations.device.createKeys, { deviceKeys: { devEUI, nwkKey } });
  return devEUI;
}

export async function createGateway(app: TestApp, organizationID: string, id = randomID()): Promise<string> {
  const location = { latitude: 52.1, longitude: 5.2, altitude: 3 };
  await app.call(operations.gateway.create, {
    gateway: { id, name: `gateway-${id}`, organizationID, networkServerID, location },
  });
  return id;
}

/** A simulated device: it knows its keys and speaks LoRaWAN. */
export function simulateDevice(devEUI: string, macVersion = '1.0.3', key = nwkKey, devNonce?: number) {
  return createSimulatedDevice({
    devEUI,
    joinEUI: '70b3d57ed0000001',
    nwkKey: key,
    macVersion,
    ...(devNonce !== undefined && { devNonce }),
    region: 'EU868',
    random: Math.random,
  });
}

/** A simulated device of another network. */
export function simulateForeignDevice(devAddr: string) {
  const key = Uint8Array.fromHex(nwkKey);
  const session = { devAddr, keys: { nwkSKey: key, appSKey: key }, dataRate: 5 };
  return createSimulatedDevice({
    devEUI: randomID(),
    session,
    macVersion: '1.0.3',
    region: 'EU868',
    random: Math.random,
  });
}

/** A simulated gateway that pulls from the server's UDP port. */
export async function simulateGateway(
  app: TestApp,
  gatewayID: string,
  options: Pick<Parameters<typeof startGateway>[0], 'txAck'> = {},
) {
  const gateway = await startGateway({ server: `127.0.0.1:${app.udpPort}`, gatewayID, ...options });
  await gateway.online();
  return gateway;
}

/** Creates a class C group of an application and resolves with its id. */
export async function createMulticastGroup(
  app: TestApp,
  multicastGroup: PartOf<MulticastGroup> & { applicationID: string },
): Promise<string> {
  const { id } = await app.call(operations.multicastGroup.create, {
    multicastGroup: {
      name: `group-${randomID()}`,
      mcAddr: randomID().slice(8),
      mcNwkSKey: nwkKey,
      mcAppSKey: nwkKey.split('').toReversed().join(''),
      frequency: 869_525_000,
      dr: 0,
      ...multicastGroup,
    },
  });
  return id;
}

/** A device activated by personalization, and its simulation after it is switched on. */
export async function createActivatedDevice(app: TestApp, surroundings: FieldContext, device: PartOf<Device> = {}) {
  const devEUI = await createDevice(app, surroundings, device);
  const { devAddr } = await app.call(operations.device.getRandomDevAddr, { devEUI });
  const keys = { appSKey: nwkKey, nwkSEncKey: nwkKey, sNwkSIntKey: nwkKey, fNwkSIntKey: nwkKey };
  await app.call(operations.device.activate, { deviceActivation: { devEUI, devAddr, ...keys } });
  const key = Uint8Array.fromHex(nwkKey);
  const session = { devAddr, keys: { nwkSKey: key, appSKey: key }, dataRate: 5 };
  const radio = { macVersion: '1.0.3', region: 'EU868', random: Math.random } as const;
  return { devEUI, start: () => createSimulatedDevice({ devEUI, session: { ...session }, ...radio }) };
}

/** Creates a device activated by personalization and processes one uplink of it. Resolves with its DevEUI. */
export async function createReceivedDevice(
  app: TestApp,
  surroundings: FieldContext,
  gateway: Gateway,
): Promise<string> {
  const { devEUI, start } = await createActivatedDevice(app, surroundings);
  const device = start();
  await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
  gateway.receiveFrame(device.uplink({ fPort: 1 }));
  await events.next();
  return devEUI;
}
