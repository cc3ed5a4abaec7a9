import type { Client } from '@hilltop/contract/client';

/** The records that devices need: organization, profiles, application and gateways. */
export interface BaseRecords {
  organizationID: string;
  applicationID: string;
  /** The device profiles of ABP devices (`personalized`, in class A, B or C) and of OTAA devices. */
  profiles: { personalized: string; joining: string; classB: string; classC: string };
  gatewayIDs: string[];
}

const gatewayCount = 20;
/** The EUIs of the gateways of a run. */
export const gatewayIDsOf = (prefix = 'b0ba') =>
  Array.from({ length: gatewayCount }, (_, index) => numbered(prefix, index, 16));

interface Owners {
  organizationID: string;
  networkServerID: string;
}

/** Creates all records through the API. The server needs its embedded EU868 network server. */
export async function createBaseRecords(
  client: Client,
  { owners, gatewayIDs = gatewayIDsOf() }: { owners?: Owners; gatewayIDs?: string[] } = {},
): Promise<BaseRecords> {
  const owned = owners ?? (await firstOwners(client));

  const { id: serviceProfileID } = await client.serviceProfile.create({
    serviceProfile: { ...owned, name: 'bench', addGWMetaData: true, drMin: 0, drMax: 5 },
  });
  const profile = { ...owned, macVersion: '1.0.3', regParamsRevision: 'A', maxEIRP: 0, uplinkInterval: '3600s' };
  const radio = { rxDelay1: 1, rxDROffset1: 0, rxDataRate2: 0, rxFreq2: 869525000, factoryPresetFreqs: [] };
  const { id: personalized } = await client.deviceProfile.create({
    deviceProfile: { ...profile, ...radio, name: 'bench-abp' },
  });
  const { id: classB } = await client.deviceProfile.create({
    deviceProfile: {
      ...profile,
      ...radio,
      name: 'bench-class-b',
      supportsClassB: true,
      classBTimeout: 60,
      pingSlotPeriod: 32,
      pingSlotDR: 3,
      pingSlotFreq: 0,
    },
  });
  const { id: classC } = await client.deviceProfile.create({
    deviceProfile: { ...profile, ...radio, name: 'bench-class-c', supportsClassC: true, classCTimeout: 60 },
  });
  const { id: joining } = await client.deviceProfile.create({
    deviceProfile: { ...profile, name: 'bench-otaa', supportsJoin: true },
  });
  const { id: applicationID } = await client.application.create({
    application: { name: 'bench', description: 'bench', organizationID: owned.organizationID, serviceProfileID },
  });

  const location = { latitude: 52.1, longitude: 5.2, altitude: 12 };
  for (const id of gatewayIDs)
    await client.gateway.create({ gateway: { ...owned, id, name: `bench-${id}`, description: 'bench', location } });
  const profiles = { personalized, joining, classB, classC };
  return { organizationID: owned.organizationID, applicationID, profiles, gatewayIDs };
}

async function firstOwners(client: Client): Promise<Owners> {
  const [network] = (await client.networkServer.list({ limit: 10 })).result;
  const [organization] = (await client.organization.list({ limit: 10 })).result;
  if (!network || !organization) throw new Error('The server began without a network-server or an organization.');
  return { organizationID: organization.id, networkServerID: network.id };
}

/** Hex text of a prefix and a number: an EUI, a DevAddr or a key. */
export function numbered(prefix: string, number: number, digits: number): string {
  return prefix + number.toString(16).padStart(digits - prefix.length, '0');
}

/** Calls `work` with each number below `count`, several calls at a time. */
export async function forEach(count: number, work: (index: number) => Promise<unknown>, together = 16): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: together }, worker));
}
