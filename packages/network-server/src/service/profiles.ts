import { type ns, RpcError } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import { randomUUID } from '../platform/random-uuid.ts';
import { bootRX2Problem } from '../session/boot-rx2.ts';
import { required, toUUID } from './identifiers.ts';
import { storedRecords, timesOf } from './stored.ts';

type MethodsOf<Profile extends string> = `${'create' | 'get' | 'update' | 'delete'}${Profile}`;
type ProfileMethods<Profile extends string> = Pick<
  ns.NetworkServerService,
  Extract<MethodsOf<Profile>, keyof ns.NetworkServerService>
>;

/** Service, device, routing and gateway profiles, stored as the application server sends them. */
export function profileMethods(
  network: Network,
): ProfileMethods<'ServiceProfile' | 'DeviceProfile' | 'RoutingProfile' | 'GatewayProfile'> {
  return {
    ...serviceProfileMethods(network),
    ...deviceProfileMethods(network),
    ...routingProfileMethods(network),
    ...gatewayProfileMethods(network),
  };
}

function serviceProfileMethods(network: Network): ProfileMethods<'ServiceProfile'> {
  const profiles = storedRecords(network, 'serviceProfile', 'service-profile');
  return {
    async createServiceProfile({ serviceProfile }) {
      const { id: given, ...profile } = required(serviceProfile, 'service-profile');
      const id = idOf(network, given, 'service-profile');
      await profiles.create(id, { ...profile, channelMask: profile.channelMask.toHex() });
      return { id: Uint8Array.fromHex(id) };
    },
    async getServiceProfile({ id }) {
      const { createdAt, updatedAt, ...profile } = await profiles.find(toUUID(id, 'service-profile'));
      const serviceProfile = { id, ...profile, channelMask: Uint8Array.fromHex(profile.channelMask) };
      return { serviceProfile, ...timesOf({ createdAt, updatedAt }) };
    },
    async updateServiceProfile({ serviceProfile }) {
      const { id, ...profile } = required(serviceProfile, 'service-profile');
      const channelMask = profile.channelMask.toHex();
      await profiles.update(toUUID(id, 'service-profile'), { ...profile, channelMask });
      return {};
    },
    async deleteServiceProfile({ id }) {
      await profiles.remove(toUUID(id, 'service-profile'));
      return {};
    },
  };
}

function deviceProfileMethods(network: Network): ProfileMethods<'DeviceProfile'> {
  const profiles = storedRecords(network, 'deviceProfile', 'device-profile');
  return {
    async createDeviceProfile({ deviceProfile }) {
      const { id: given, rfRegion: _region, ...profile } = required(deviceProfile, 'device-profile');
      const id = idOf(network, given, 'device-profile');
      refuseImpossibleRX2(network, profile);
      await profiles.create(id, profile);
      return { id: Uint8Array.fromHex(id) };
    },
    async getDeviceProfile({ id }) {
      const { createdAt, updatedAt, ...profile } = await profiles.find(toUUID(id, 'device-profile'));
      const deviceProfile = { id, ...profile, rfRegion: network.region.name };
      return { deviceProfile, ...timesOf({ createdAt, updatedAt }) };
    },
    async updateDeviceProfile({ deviceProfile }) {
      const { id, rfRegion: _region, ...profile } = required(deviceProfile, 'device-profile');
      refuseImpossibleRX2(network, profile);
      await profiles.update(toUUID(id, 'device-profile'), profile);
      return {};
    },
    async deleteDeviceProfile({ id }) {
      await profiles.remove(toUUID(id, 'device-profile'));
      return {};
    },
  };
}

function routingProfileMethods(network: Network): ProfileMethods<'RoutingProfile'> {
  const profiles = storedRecords(network, 'routingProfile', 'routing-profile');
  return {
    async createRoutingProfile({ routingProfile }) {
      const { id: given, ...profile } = required(routingProfile, 'routing-profile');
      const id = idOf(network, given, 'routing-profile');
      await profiles.create(id, profile);
      return { id: Uint8Array.fromHex(id) };
    },
    async getRoutingProfile({ id }) {
      const { createdAt, updatedAt, ...profile } = await profiles.find(toUUID(id, 'routing-profile'));
      return { routingProfile: { id, ...profile, tlsKey: '' }, ...timesOf({ createdAt, updatedAt }) };
    },
    async updateRoutingProfile({ routingProfile }) {
      const { id, ...profile } = required(routingProfile, 'routing-profile');
      await profiles.update(toUUID(id, 'routing-profile'), profile);
      return {};
    },
    async deleteRoutingProfile({ id }) {
      await profiles.remove(toUUID(id, 'routing-profile'));
      return {};
    },
  };
}

function gatewayProfileMethods(network: Network): ProfileMethods<'GatewayProfile'> {
  const profiles = storedRecords(network, 'gatewayProfile', 'gateway-profile');
  return {
    async createGatewayProfile({ gatewayProfile }) {
      const { id: given, statsInterval, ...profile } = required(gatewayProfile, 'gateway-profile');
      const id = idOf(network, given, 'gateway-profile');
      await profiles.create(id, { ...profile, statsIntervalMs: statsInterval ?? 0 });
      return { id: Uint8Array.fromHex(id) };
    },
    async getGatewayProfile({ id }) {
      const { createdAt, updatedAt, statsIntervalMs, ...profile } = await profiles.find(toUUID(id, 'gateway-profile'));
      const gatewayProfile = { id, ...profile, statsInterval: statsIntervalMs };
      return { gatewayProfile, ...timesOf({ createdAt, updatedAt }) };
    },
    async updateGatewayProfile({ gatewayProfile }) {
      const { id, statsInterval, ...profile } = required(gatewayProfile, 'gateway-profile');
      await profiles.update(toUUID(id, 'gateway-profile'), { ...profile, statsIntervalMs: statsInterval ?? 0 });
      return {};
    },
    async deleteGatewayProfile({ id }) {
      await profiles.remove(toUUID(id, 'gateway-profile'));
      return {};
    },
  };
}

function idOf({ random }: Network, given: Uint8Array, name: string): string {
  return given.length === 0 ? randomUUID(random).toHex() : toUUID(given, name);
}

function refuseImpossibleRX2({ region }: Network, profile: Pick<ns.DeviceProfile, 'rxFreq2' | 'rxDatarate2'>): void {
  const problem = bootRX2Problem(region, profile);
  if (problem) throw new RpcError('InvalidArgument', problem.sentence);
}
