import { integrationKinds, type Operation, operations } from '@hilltop/contract';
import { createAPIKey, createGatewayProfile, createUser, networkServerID } from './factories.ts';
import { createDevice, createGateway, createMulticastGroup, createSurroundings } from './field.ts';
import { offeredKinds, sampleIntegrations } from './integrations.ts';
import { oneOfEach } from './odd-requests.ts';
import type { TestApp } from './test-app.ts';

/** Values that requests can name: by field name, and by resource where all fields are called `id`. */
export interface Known {
  known: Record<string, unknown>;
  ids: Record<string, Record<string, unknown>>;
}

/** A record of every kind, in one organization, with each kind of integration. */
export async function oneOfEverything(app: TestApp): Promise<Known> {
  const { organizationID, ...surroundings } = await createSurroundings(app);
  const devEUI = await createDevice(app, { organizationID, ...surroundings });
  const gatewayID = await createGateway(app, organizationID);
  const gatewayProfileID = await createGatewayProfile(app);
  const { id: userID } = await createUser(app, { organizations: [{ organizationID }] });
  const { id: apiKeyID } = await createAPIKey(app, { organizationID });
  const { applicationID } = surroundings;
  const multicastGroupID = await createMulticastGroup(app, { applicationID });
  await app.call(operations.multicastGroup.addDevice, { multicastGroupID, devEUI });
  const key = '01'.repeat(16);
  const keys = { appSKey: key, nwkSEncKey: key, sNwkSIntKey: key, fNwkSIntKey: key };
  await app.call(operations.device.activate, { deviceActivation: { devEUI, devAddr: '01020304', ...keys } });
  const known: Record<string, unknown> = {
    organizationID,
    ...surroundings,
    devEUI,
    gatewayID,
    gatewayId: gatewayID,
    gatewayProfileID,
    multicastGroupID,
    userID,
    userId: userID,
    networkServerID,
    networkServerId: networkServerID,
    interval: 'DAY',
    eventEndpointURL: 'https://sink.example.org/events',
  };
  for (const { kind, rpc } of offeredKinds) {
    const integration = { applicationID: surroundings.applicationID, ...sampleIntegrations[kind] };
    const create = (operations.application as Readonly<Record<string, Operation>>)[`create${rpc}Integration`]!;
    await app.call(create, { integration } as object);
  }
  const tagged = {
    kind: 'CHANGE_DEVICE_TAGS',
    action: { set: { site: 'north' } },
    selection: { ids: [devEUI] },
  } as const;
  const { job } = await app.call(operations.job.create, { organizationID, ...tagged });
  const ids: Record<string, Record<string, unknown>> = {
    job: { id: job!.id },
    organization: { id: organizationID },
    apiKey: { id: apiKeyID },
    user: { id: userID, organizations: [] },
    networkServer: { id: networkServerID, server: '192.0.2.1:8000' },
    gatewayProfile: { id: gatewayProfileID },
    serviceProfile: { id: surroundings.serviceProfileID },
    deviceProfile: { id: surroundings.deviceProfileID },
    gateway: { id: gatewayID },
    application: { id: surroundings.applicationID },
    delivery: { kind: 'HTTP', organizationID: '0' },
    library: { id: 'generic:a-1.0.3', modelID: 'generic:a-1.0.3' },
    multicastGroup: { id: multicastGroupID },
  };
  Object.assign(ids, await oneOfEach(app, known, { ...ids, device: {}, radio: {} }));
  return { known, ids };
}

/** The settings of an integration, for the operations of its kind. */
export function integrationOf(rpc: string): object {
  const found = Object.values(integrationKinds).find((kind) => rpc.endsWith(`${kind.rpc}Integration`));
  return found ? sampleIntegrations[found.kind] : {};
}
