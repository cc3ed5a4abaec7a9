import type { ns } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import { notFound, required, toGatewayID, toHex, toOptionalHex } from './identifiers.ts';
import { storedRecords, timesOf } from './stored.ts';

type Methods = 'createGateway' | 'getGateway' | 'updateGateway' | 'deleteGateway' | 'streamFrameLogsForGateway';

export function gatewayMethods(network: Network): Pick<ns.NetworkServerService, Methods> {
  const { state } = network;
  const gateways = storedRecords(network, 'gateway', 'gateway');

  /** The record for a request, whose profiles must exist. */
  async function contentOf(gateway: ns.Gateway, routingProfileID: string) {
    const location = required(gateway.location, 'location of the gateway');
    const gatewayProfileID = toOptionalHex(gateway.gatewayProfileId, 16, 'ID of the gateway-profile');
    const serviceProfileID = toOptionalHex(gateway.serviceProfileId, 16, 'ID of the service-profile');
    if (gatewayProfileID && !(await state.get('gatewayProfile', gatewayProfileID))) throw notFound('gateway-profile');
    if (serviceProfileID && !(await state.get('serviceProfile', serviceProfileID))) throw notFound('service-profile');
    if (routingProfileID && !(await state.get('routingProfile', routingProfileID))) throw notFound('routing-profile');
    const boards = gateway.boards.map(({ fpgaId, fineTimestampKey }) => ({
      fpgaID: toOptionalHex(fpgaId, 8, 'FPGA ID of a board'),
      fineTimestampKey: toOptionalHex(fineTimestampKey, 16, 'fine-timestamp key of a board'),
    }));
    return { location, gatewayProfileID, serviceProfileID, routingProfileID, boards };
  }

  return {
    async createGateway(request) {
      const gateway = required(request.gateway, 'gateway');
      const routingProfileID = toHex(gateway.routingProfileId, 16, 'ID of the routing-profile');
      await gateways.create(toGatewayID(gateway.id), await contentOf(gateway, routingProfileID));
      return {};
    },
    async getGateway({ id }) {
      const gatewayID = toGatewayID(id);
      const { createdAt, updatedAt, location, boards, ...ids } = await gateways.find(gatewayID);
      const seen = await state.get('gatewaySeen', gatewayID);
      return {
        gateway: {
          id,
          location,
          gatewayProfileId: Uint8Array.fromHex(ids.gatewayProfileID),
          serviceProfileId: Uint8Array.fromHex(ids.serviceProfileID),
          routingProfileId: Uint8Array.fromHex(ids.routingProfileID),
          boards: boards.map(({ fpgaID, fineTimestampKey }) => ({
            fpgaId: Uint8Array.fromHex(fpgaID),
            fineTimestampKey: Uint8Array.fromHex(fineTimestampKey),
          })),
        },
        ...timesOf({ createdAt, updatedAt }),
        firstSeenAt: seen && new Date(seen.firstSeenAt),
        lastSeenAt: seen && new Date(seen.lastSeenAt),
      };
    },
    async updateGateway(request) {
      const gateway = required(request.gateway, 'gateway');
      const gatewayID = toGatewayID(gateway.id);
      const stored = await gateways.find(gatewayID);
      const given = toOptionalHex(gateway.routingProfileId, 16, 'ID of the routing-profile');
      await gateways.update(gatewayID, await contentOf(gateway, given || stored.routingProfileID));
      return {};
    },
    async deleteGateway({ id }) {
      await gateways.remove(toGatewayID(id));
      return {};
    },
    streamFrameLogsForGateway: ({ gatewayId }, signal) => network.gatewayFrames.read(toGatewayID(gatewayId), signal),
  };
}
