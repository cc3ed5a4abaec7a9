import { common, type ns } from '@hilltop/protobuf';
import { adrAlgorithms } from '../adr/registry.ts';
import type { Network } from '../network/network.ts';
import { activationMethods } from './activations.ts';
import { deviceMethods } from './devices.ts';
import { gatewayMethods } from './gateways.ts';
import { multicastGroupMethods } from './multicast-groups.ts';
import { multicastQueueMethods } from './multicast-queue.ts';
import { profileMethods } from './profiles.ts';
import { proprietaryMethods } from './proprietary.ts';
import { queueMethods } from './queue.ts';
import { unimplementedMethods } from './unimplemented.ts';

const version = 'Hilltop 0.1';

/** The `ns` service of an embedded network server. Methods join the transaction they are called in; they wait for no lock. */
export function createNetworkServerService(network: Network): ns.NetworkServerService {
  return {
    ...profileMethods(network),
    ...gatewayMethods(network),
    ...deviceMethods(network),
    ...activationMethods(network),
    ...queueMethods(network),
    ...multicastGroupMethods(network),
    ...multicastQueueMethods(network),
    ...proprietaryMethods(network),
    ...unimplementedMethods(),
    async getVersion() {
      return { version, region: regionOf(network) };
    },
    async getADRAlgorithms() {
      return { adrAlgorithms: adrAlgorithms.map(({ id, name }) => ({ id, name })) };
    },
  };
}

/** The protobuf names have an underscore where the regional parameters have a dash: `AS923_2`. */
function regionOf({ region }: Network): common.Region {
  return region.name.replace('-', '_') as common.Region;
}
