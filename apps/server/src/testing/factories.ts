import {
  type APIKey,
  type Application,
  type DeviceProfile,
  type GatewayProfile,
  type Organization,
  operations,
  type PartOf,
  type ServiceProfile,
  type User,
  type UserOrganization,
} from '@hilltop/contract';
import type { TestApp } from './test-app.ts';

/** Creates records by the API with the fewest fields: missing parents are created as well. */

let made = 0;
const fresh = (kind: string) => `${kind}-${++made}`;

/** The id of the embedded network server of the first region. */
export const networkServerID = '1';

export async function createOrganization(app: TestApp, organization: PartOf<Organization> = {}): Promise<string> {
  const name = fresh('organization');
  const { id } = await app.call(operations.organization.create, {
    organization: { name, displayName: name, canHaveGateways: true, ...organization },
  });
  return id;
}

export interface CreatedUser {
  id: string;
  email: string;
  password: string;
  /** The token of a session of the user. */
  token: string;
}

export async function createUser(
  app: TestApp,
  { organizations = [], ...user }: PartOf<User> & { organizations?: PartOf<UserOrganization>[] } = {},
): Promise<CreatedUser> {
  const email = user.email ?? `${fresh('user')}@example.org`;
  const password = 'a long password';
  const { id } = await app.call(operations.user.create, {
    user: { isActive: true, ...user, email },
    password,
    organizations,
  });
  return { id, email, password, token: await app.signIn(email, password) };
}

export async function createAPIKey(app: TestApp, scope: PartOf<APIKey>): Promise<{ id: string; token: string }> {
  const { id, jwtToken } = await app.call(operations.internal.createAPIKey, {
    apiKey: { name: fresh('key'), ...scope },
  });
  return { id, token: jwtToken };
}

export async function createGatewayProfile(app: TestApp, gatewayProfile: PartOf<GatewayProfile> = {}): Promise<string> {
  const { id } = await app.call(operations.gatewayProfile.create, {
    gatewayProfile: {
      name: fresh('gateway-profile'),
      networkServerID,
      channels: [0, 1, 2],
      statsInterval: '30s',
      ...gatewayProfile,
    },
  });
  return id;
}

export async function createServiceProfile(app: TestApp, serviceProfile: PartOf<ServiceProfile> = {}): Promise<string> {
  const organizationID = serviceProfile.organizationID ?? (await createOrganization(app));
  const { id } = await app.call(operations.serviceProfile.create, {
    serviceProfile: {
      name: fresh('service-profile'),
      networkServerID,
      drMax: 5,
      addGWMetaData: true,
      ...serviceProfile,
      organizationID,
    },
  });
  return id;
}

export async function createDeviceProfile(app: TestApp, deviceProfile: PartOf<DeviceProfile> = {}): Promise<string> {
  const organizationID = deviceProfile.organizationID ?? (await createOrganization(app));
  const { id } = await app.call(operations.deviceProfile.create, {
    deviceProfile: {
      name: fresh('device-profile'),
      networkServerID,
      macVersion: '1.0.3',
      regParamsRevision: 'A',
      supportsJoin: true,
      maxEIRP: 14,
      uplinkInterval: '3600s',
      adrAlgorithmID: 'default',
      ...deviceProfile,
      organizationID,
    },
  });
  return id;
}

export async function createApplication(app: TestApp, application: PartOf<Application> = {}): Promise<string> {
  const organizationID = application.organizationID ?? (await createOrganization(app));
  const serviceProfileID = application.serviceProfileID ?? (await createServiceProfile(app, { organizationID }));
  const { id } = await app.call(operations.application.create, {
    application: { name: fresh('application'), ...application, organizationID, serviceProfileID },
  });
  return id;
}
