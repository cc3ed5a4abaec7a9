import { randomBytes } from 'node:crypto';
import type { Client } from '@hilltop/contract/client';

/** The objects that journeys need but do not test, created through the API. */
export interface World {
  organizationID: string;
  networkServerID: string;
  serviceProfileID: string;
  deviceProfileID: string;
  gatewayID: string;
  applicationID: string;
  /** An OTAA device with `applicationKey`. */
  devEUI: string;
  applicationKey: string;
  /** A class C group without devices. */
  multicastGroupID: string;
}

export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/**
 * Creates an organization with one of each: profiles, a gateway, an application and a LoRaWAN 1.0.3 OTAA device; on the
 * first network-server unless another is given.
 */
export async function buildWorld(admin: Client, name: string, on?: string): Promise<World> {
  const networkServerID = on ?? (await admin.networkServer.list({ limit: 1 })).result[0]!.id;
  const { id: organizationID } = await admin.organization.create({
    organization: { name, displayName: name, canHaveGateways: true },
  });
  const { id: serviceProfileID } = await admin.serviceProfile.create({
    serviceProfile: { name: 'standard', organizationID, networkServerID, addGWMetaData: true, drMax: 5 },
  });
  const deviceProfileID = await buildDeviceProfile(admin, { organizationID, networkServerID });
  const gatewayID = randomHex(8);
  await admin.gateway.create({
    gateway: {
      id: gatewayID,
      name: 'roof',
      description: 'On the roof',
      organizationID,
      networkServerID,
      serviceProfileID,
      location: { latitude: 52.09, longitude: 5.12, altitude: 20 },
    },
  });
  const { id: applicationID } = await admin.application.create({
    application: { name: 'weather', description: 'How warm it is', organizationID, serviceProfileID },
  });
  const [devEUI, applicationKey] = [randomHex(8), randomHex(16)];
  await admin.device.create({
    device: { devEUI, name: 'thermometer', description: 'North wall', applicationID, deviceProfileID },
  });
  await admin.device.createKeys({ deviceKeys: { devEUI, nwkKey: applicationKey } });
  const groupKeys = { mcAddr: randomHex(4), mcNwkSKey: randomHex(16), mcAppSKey: randomHex(16) };
  const { id: multicastGroupID } = await admin.multicastGroup.create({
    multicastGroup: { name: 'all together', applicationID, ...groupKeys, frequency: 869_525_000 },
  });
  return {
    organizationID,
    networkServerID,
    serviceProfileID,
    deviceProfileID,
    gatewayID,
    applicationID,
    devEUI,
    applicationKey,
    multicastGroupID,
  };
}

/** A profile for LoRaWAN 1.0.3 OTAA devices with Cayenne LPP, unless `changes` override it. */
export async function buildDeviceProfile(
  admin: Client,
  of: { organizationID: string; networkServerID: string },
  changes: object = {},
): Promise<string> {
  const { id } = await admin.deviceProfile.create({
    deviceProfile: {
      name: 'thermometer',
      macVersion: '1.0.3',
      regParamsRevision: 'A',
      adrAlgorithmID: 'default',
      maxEIRP: 14,
      uplinkInterval: '3600s',
      supportsJoin: true,
      classCTimeout: 5,
      payloadCodec: 'CAYENNE_LPP',
      ...of,
      ...changes,
    },
  });
  return id;
}

/** Activates a device without a join; returns the session for its simulation. */
export async function activate(admin: Client, devEUI: string) {
  const [devAddr, nwkSKey, appSKey] = [`01${randomHex(3)}`, randomHex(16), randomHex(16)];
  const keys = { nwkSEncKey: nwkSKey, sNwkSIntKey: nwkSKey, fNwkSIntKey: nwkSKey, appSKey };
  await admin.device.activate({ deviceActivation: { devEUI, devAddr, ...keys } });
  return { devAddr, keys: { nwkSKey, appSKey } };
}

export interface Membership {
  organizationID: string;
  isAdmin?: boolean;
  isDeviceAdmin?: boolean;
  isGatewayAdmin?: boolean;
  isReadOnly?: boolean;
  /** The applications that it is limited to; none: all. */
  applicationIDs?: string[];
}

export interface Person {
  id: string;
  email: string;
  password: string;
  /** Token of an open session. */
  token: string;
}

const isLimited = ({ isReadOnly, applicationIDs }: Membership) => isReadOnly === true || applicationIDs !== undefined;

/** A signed-in user with these memberships. */
export async function buildPerson(
  admin: Client,
  { name, isAdmin = false, organizations = [] }: { name: string; isAdmin?: boolean; organizations?: Membership[] },
): Promise<Person> {
  const [email, password] = [`${name}-${randomHex(4)}@example.org`, `password of ${name}`];
  const unlimited = organizations.filter((membership) => !isLimited(membership));
  const { id } = await admin.user.create({
    user: { email, isAdmin, isActive: true },
    password,
    organizations: unlimited,
  });
  for (const membership of organizations.filter(isLimited))
    await admin.organization.addUser({ organizationUser: { ...membership, email } });
  const { jwt: token } = await admin.internal.login({ email, password });
  return { id, email, password, token };
}
