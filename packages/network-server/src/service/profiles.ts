import { type ns, RpcError } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import { randomUUID } from '../platform/random-uuid.ts';
import { bootRX2Problem } from '../session/boot-rx2.ts';
import { required, toUUID } from './identifiers.ts';
import { storedRecords, timesOf } from './stored.ts';

type Methods =
  `${'create' | 'get' | 'update' | 'delete'}${'ServiceProfile' | 'DeviceProfile' | 'RoutingProfile' | 'GatewayProfile'}`;

/** Service, device, routing and gateway profiles, stored as the application server sends them. */
export function profileMethods(network: Network): Pick<ns.NetworkServerService, Methods> {
  const services = storedRecords(network, 'serviceProfile', 'service-profile');
  const devices = storedRecords(network, 'deviceProfile', 'device-profile');
  const routings = storedRecords(network, 'routingProfile', 'routing-profile');
  const gateways = storedRecords(network, 'gatewayProfile', 'gateway-profile');
  const idOf = (given: Uint8Array, name: string) =>
    given.length === 0 ? randomUUID(network.random).toHex() : toUUID(given, name);

  return {
    async createServiceProfile({ serviceProfile }) {
      const { id: given, ...profile } = required(serviceProfile, 'service-profile');
      const id = idOf(given, 'service-profile');
      await services.create(id, { ...profile, channelMask: profile.channelMask.toHex() });
      return { id: Uint8Array.fromHex(id) };
    },
    async getServiceProfile({ id }) {
      const { createdAt, updatedAt, ...profile } = await services.find(toUUID(id, 'service-profile'));
      const serviceProfile = { id, ...profile, channelMask: Uint8Array.fromHex(profile.channelMask) };
      return { serviceProfile, ...timesOf({ createdAt, updatedAt }) };
    },
    async updateServiceProfile({ serviceProfile }) {
      const { id, ...profile } = required(serviceProfile, 'service-profile');
      const channelMask = profile.channelMask.toHex();
      await services.update(toUUID(id, 'service-profile'), { ...profile, channelMask });
      return {};
    },
    async deleteServiceProfile({ id }) {
      await services.remove(toUUID(id, 'service-profile'));
      return {};
    },

    async createDeviceProfile({ deviceProfile }) {
      const { id: given, rfRegion: _region, ...profile } = required(deviceProfile, 'device-profile');
      const id = idOf(given, 'device-profile');
      refuseImpossibleRX2(network, profile);
      await devices.create(id, profile);
      return { id: Uint8Array.fromHex(id) };
    },
    async getDeviceProfile({ id }) {
      const { createdAt, updatedAt, ...profile } = await devices.find(toUUID(id, 'device-profile'));
      const deviceProfile = { id, ...profile, rfRegion: network.region.name };
      return { deviceProfile, ...timesOf({ createdAt, updatedAt }) };
    },
    async updateDeviceProfile({ deviceProfile }) {
      const { id, rfRegion: _region, ...profile } = required(deviceProfile, 'device-profile');
      refuseImpossibleRX2(network, profile);
      await devices.update(toUUID(id, 'device-profile'), profile);
      return {};
    },
    async deleteDeviceProfile({ id }) {
      await devices.remove(toUUID(id, 'device-profile'));
      return {};
    },

    async createRoutingProfile({ routingProfile }) {
      const { id: given, ...profile } = required(routingProfile, 'routing-profile');
      const id = idOf(given, 'routing-profile');
      await routings.create(id, profile);
      return { id: Uint8Array.fromHex(id) };
    },
    async getRoutingProfile({ id }) {
      const { createdAt, updatedAt, ...profile } = await routings.find(toUUID(id, 'routing-profile'));
      return { routingProfile: { id, ...profile, tlsKey: '' }, ...timesOf({ createdAt, updatedAt }) };
    },
    async updateRoutingProfile({ routingProfile }) {
      const { id, ...profile } = required(routingProfile, 'routing-profile');
      await routings.update(toUUID(id, 'routing-profile'), profile);
      return {};
    },
    async deleteRoutingProfile({ id }) {
      await routings.remove(toUUID(id, 'routing-profile'));
      return {};
    },

    async createGatewayProfile({ gatewayProfile }) {
      const { id: given, statsInterval, ...profile } = required(gatewayProfile, 'gateway-profile');
      const id = idOf(given, 'gateway-profile');
      await gateways.create(id, { ...profile, statsIntervalMs: statsInterval ?? 0 });
      return { id: Uint8Array.fromHex(id) };
    },
    async getGatewayProfile({ id }) {
      const { createdAt, updatedAt, statsIntervalMs, ...profile } = await gateways.find(toUUID(id, 'gateway-profile'));
      const gatewayProfile = { id, ...profile, statsInterval: statsIntervalMs };
      return { gatewayProfile, ...timesOf({ createdAt, updatedAt }) };
    },
    async updateGatewayProfile({ gatewayProfile }) {
      const { id, statsInterval, ...profile } = required(gatewayProfile, 'gateway-profile');
      await gateways.update(toUUID(id, 'gateway-profile'), { ...profile, statsIntervalMs: statsInterval ?? 0 });
      return {};
    },
    async deleteGatewayProfile({ id }) {
      await gateways.remove(toUUID(id, 'gateway-profile'));
      return {};
    },
  };
}

function refuseImpossibleRX2({ region }: Network, profile: Pick<ns.DeviceProfile, 'rxFreq2' | 'rxDatarate2'>): void {
  const problem = bootRX2Problem(region, profile);
  if (problem) throw new RpcError('InvalidArgument', problem.sentence);
}
