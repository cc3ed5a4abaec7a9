import type { Client } from '@hilltop/contract/client';
import { type DeviceDescription, type NetworkPlan, type SensorKind, sensorKinds } from '@hilltop/simulator';

/** Number of concurrent calls; the server writes them in batches. */
const atOnce = 16;

/**
 * Creates the demo organization and all records of the planned network through the API. Resolves with the id of the
 * organization.
 */
export async function provision(client: Client, plan: NetworkPlan): Promise<string> {
  const { result: networkServers } = await client.networkServer.list({ limit: 10 });
  const networkServerID = networkServers.find(({ name }) => name.startsWith(plan.region))?.id ?? networkServers[0]?.id;
  if (networkServerID === undefined) throw new Error('The server has no network-server to put the demo on.');

  await letGatewaysPing(client, networkServerID);

  const { id: organizationID } = await client.organization.create({
    organization: { name: 'demo', displayName: 'Demo organization', canHaveGateways: true },
  });
  const { id: serviceProfileID } = await client.serviceProfile.create({
    serviceProfile: {
      name: 'standard',
      organizationID,
      networkServerID,
      addGWMetaData: true,
      drMin: 0,
      drMax: 5,
      devStatusReqFreq: 24,
      reportDevStatusBattery: true,
      reportDevStatusMargin: true,
    },
  });
  await inTurns(plan.gateways, ({ gatewayID, name, ...location }) =>
    client.gateway.create({
      gateway: {
        id: gatewayID,
        name: name.replaceAll(' ', '-'),
        description: `On the ${name}`,
        location,
        organizationID,
        networkServerID,
        serviceProfileID,
        discoveryEnabled: true,
      },
    }),
  );

  for (const kind of sensorKinds) {
    const devices = plan.devices.filter(({ sensor }) => sensor === kind.name);
    if (devices.length === 0) continue;
    const { id: applicationID } = await client.application.create({
      application: { name: kind.name, description: `${kind.title}, simulated`, organizationID, serviceProfileID },
    });
    const profiles = new Map<string, string>();
    for (const device of new Map(devices.map((device) => [abilitiesOf(device), device])).values())
      profiles.set(abilitiesOf(device), await createProfile(client, { kind, device, organizationID, networkServerID }));
    await inTurns(devices, (device) =>
      createDevice(client, { device, kind, applicationID, deviceProfileID: profiles.get(abilitiesOf(device))! }),
    );
    await createGroups(client, applicationID, devices);
  }
  return organizationID;
}

/** Gateway discovery: each gateway sends a ping when it comes online and then once an hour, in EU868. */
async function letGatewaysPing(client: Client, id: string): Promise<void> {
  const { networkServer } = await client.networkServer.get({ id });
  const ping = { gatewayDiscoveryInterval: 24, gatewayDiscoveryTXFrequency: 868_100_000, gatewayDiscoveryDR: 3 };
  await client.networkServer.update({ networkServer: { ...networkServer, gatewayDiscoveryEnabled: true, ...ping } });
}

async function createProfile(
  client: Client,
  of: { kind: SensorKind; device: DeviceDescription; organizationID: string; networkServerID: string },
): Promise<string> {
  const { kind, device, organizationID, networkServerID } = of;
  const { macVersion, classB, classC = false } = device;
  const { id } = await client.deviceProfile.create({
    deviceProfile: {
      name: `${kind.title}, ${abilitiesOf(device)}`,
      organizationID,
      networkServerID,
      macVersion,
      regParamsRevision: 'B',
      adrAlgorithmID: 'default',
      maxEIRP: 14,
      supportsJoin: true,
      supportsClassC: classC,
      classCTimeout: 60,
      ...(classB && {
        supportsClassB: true,
        classBTimeout: 60,
        pingSlotPeriod: 32 * 2 ** classB.periodicity,
        pingSlotDR: 3,
      }),
      uplinkInterval: `${kind.intervalSeconds}s`,
      tags: { sensor: kind.name },
      payloadCodec: kind.codec.payloadCodec,
      payloadDecoderScript: kind.codec.decoderScript,
      payloadEncoderScript: kind.codec.encoderScript,
    },
  });
  return id;
}

/** Devices with the same properties share a device profile. */
function abilitiesOf({ macVersion, classB, classC }: DeviceDescription): string {
  if (classB) return `LoRaWAN ${macVersion}, class B`;
  return classC ? `LoRaWAN ${macVersion}, class C` : `LoRaWAN ${macVersion}`;
}

async function createDevice(
  client: Client,
  of: { device: DeviceDescription; kind: SensorKind; applicationID: string; deviceProfileID: string },
): Promise<void> {
  const { device, kind, applicationID, deviceProfileID } = of;
  const { devEUI, name, nwkKey = '', appKey = '' } = device;
  const weak = device.lossDb ? ', behind thick walls' : '';
  const description = device.wrongKey ? `${kind.title} whose key was mistyped` : `${kind.title}${weak}`;
  await client.device.create({
    device: {
      devEUI,
      name,
      description,
      applicationID,
      deviceProfileID,
      tags: { place: device.lossDb ? 'cellar' : 'outdoor' },
    },
  });
  await client.device.createKeys({ deviceKeys: { devEUI, nwkKey, appKey } });
}

async function createGroups(client: Client, applicationID: string, devices: readonly DeviceDescription[]) {
  const groups = new Map(devices.flatMap(({ groups = [] }) => groups).map((group) => [group.mcAddr, group]));
  for (const { nwkSKey: mcNwkSKey, appSKey: mcAppSKey, ...group } of groups.values()) {
    const { id: multicastGroupID } = await client.multicastGroup.create({
      multicastGroup: { ...group, applicationID, mcNwkSKey, mcAppSKey },
    });
    const members = devices.filter((device) => device.groups?.some(({ mcAddr }) => mcAddr === group.mcAddr));
    await inTurns(members, ({ devEUI }) => client.multicastGroup.addDevice({ multicastGroupID, devEUI }));
  }
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
