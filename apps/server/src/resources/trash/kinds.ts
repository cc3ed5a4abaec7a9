import type { TrashedName } from '@hilltop/contract';
import { fromBinary, ns, toBinary } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { uuidBytes } from '../../identifiers.ts';

type Network = ns.NetworkServerService;

/** What a network server stores of a kind of records. */
interface NetworkKind {
  /** The network servers of records. */
  readonly servers: (database: Database, ids: readonly string[]) => Promise<readonly { id: string; server: number }[]>;
  /** Nothing when the network server answers without the record. */
  readonly read: (network: Network, id: string) => Promise<Uint8Array | null | undefined>;
  readonly create: (network: Network, record: Uint8Array) => Promise<unknown>;
}

interface StoredKind {
  /** Its tables with the column of the record's ID; the first one has the record itself. */
  readonly tables: readonly (readonly [table: keyof Tables, column: string])[];
  readonly hasNumericID?: true;
  readonly network?: NetworkKind;
}

/** Multicast-groups go on with a counter that was certainly not used. */
export const restoredCounterGap = 100;

const hexBytes = (id: string) => Uint8Array.fromHex(id);

const serversIn =
  (table: 'gateway' | 'device_profile' | 'service_profile'): NetworkKind['servers'] =>
  ({ query }, ids) =>
    query.selectFrom(table).select(['id', 'network_server_id as server']).where('id', 'in', ids).execute();

/** How each kind of records is stored. */
export const storedKinds: Readonly<Record<TrashedName, StoredKind>> = {
  DEVICE: {
    tables: [
      ['device', 'dev_eui'],
      ['device_keys', 'dev_eui'],
      ['multicast_group_device', 'dev_eui'],
    ],
    network: {
      servers: ({ query }, ids) =>
        query
          .selectFrom('device')
          .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
          .select(['device.dev_eui as id', 'device_profile.network_server_id as server'])
          .where('device.dev_eui', 'in', ids)
          .execute(),
      read: async (network, id) => {
        const { device } = await network.getDevice({ devEui: hexBytes(id) });
        return device && toBinary(ns.Device, device);
      },
      create: (network, record) => network.createDevice({ device: fromBinary(ns.Device, record) }),
    },
  },
  GATEWAY: {
    tables: [
      ['gateway', 'id'],
      ['client_certificate', 'gateway_id'],
      ['gateway_outage', 'gateway_id'],
    ],
    network: {
      servers: serversIn('gateway'),
      read: async (network, id) => {
        const { gateway } = await network.getGateway({ id: hexBytes(id) });
        return gateway && toBinary(ns.Gateway, gateway);
      },
      create: (network, record) => network.createGateway({ gateway: fromBinary(ns.Gateway, record) }),
    },
  },
  DEVICE_PROFILE: {
    tables: [
      ['device_profile', 'id'],
      ['codec_vectors', 'device_profile_id'],
      ['library_use', 'device_profile_id'],
      ['library_model', 'device_profile_id'],
    ],
    network: {
      servers: serversIn('device_profile'),
      read: async (network, id) => {
        const { deviceProfile } = await network.getDeviceProfile({ id: uuidBytes(id) });
        return deviceProfile && toBinary(ns.DeviceProfile, deviceProfile);
      },
      create: (network, record) => network.createDeviceProfile({ deviceProfile: fromBinary(ns.DeviceProfile, record) }),
    },
  },
  SERVICE_PROFILE: {
    tables: [['service_profile', 'id']],
    network: {
      servers: serversIn('service_profile'),
      read: async (network, id) => {
        const { serviceProfile } = await network.getServiceProfile({ id: uuidBytes(id) });
        return serviceProfile && toBinary(ns.ServiceProfile, serviceProfile);
      },
      create: (network, record) =>
        network.createServiceProfile({ serviceProfile: fromBinary(ns.ServiceProfile, record) }),
    },
  },
  MULTICAST_GROUP: {
    tables: [['multicast_group', 'id']],
    network: {
      servers: ({ query }, ids) =>
        query
          .selectFrom('multicast_group')
          .innerJoin('application', 'application.id', 'multicast_group.application_id')
          .innerJoin('service_profile', 'service_profile.id', 'application.service_profile_id')
          .select(['multicast_group.id', 'service_profile.network_server_id as server'])
          .where('multicast_group.id', 'in', ids)
          .execute(),
      read: async (network, id) => {
        const { multicastGroup } = await network.getMulticastGroup({ id: uuidBytes(id) });
        return multicastGroup && toBinary(ns.MulticastGroup, multicastGroup);
      },
      create: (network, record) => {
        const group = fromBinary(ns.MulticastGroup, record);
        return network.createMulticastGroup({ multicastGroup: { ...group, fCnt: group.fCnt + restoredCounterGap } });
      },
    },
  },
  APPLICATION: {
    hasNumericID: true,
    tables: [
      ['application', 'id'],
      ['api_key', 'application_id'],
      ['client_certificate', 'application_id'],
    ],
  },
  INTEGRATION: { hasNumericID: true, tables: [['integration', 'id']] },
  ORGANIZATION: {
    hasNumericID: true,
    tables: [
      ['organization', 'id'],
      ['organization_user', 'organization_id'],
      ['api_key', 'organization_id'],
    ],
  },
};
