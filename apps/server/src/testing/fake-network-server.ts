import { type ns, RpcError } from '@hilltop/protobuf';
import type { Networks } from '../network/network-servers.ts';

/** Network servers that only store what they receive, for tests that are not about networks. */
export function fakeNetworks(): Networks {
  const servers = new Map<number, ns.NetworkServerService>();
  return {
    of: async (id) => {
      const server = servers.get(id) ?? fakeNetworkServer();
      servers.set(id, server);
      return server;
    },
    embedded: {
      isRemote: () => false,
      refresh: async () => undefined,
      effectsOf: async () => ({ devices: 0, isPartial: false, commands: [], endingSessions: 0 }),
      forecastOf: async () => null,
      newActivationOf: async () => null,
      enqueue: async () => null,
      cancel: async () => null,
      queuedFCnts: async () => null,
      simulatedRadioOf: async () => null,
      clockOffsetOf: async () => null,
      connectionOf: () => null,
      unknownGateways: () => [],
      ping: async () => null,
    },
  };
}

function fakeNetworkServer(): ns.NetworkServerService {
  const records = new Map<string, object>();
  const key = (kind: string, id: Uint8Array) => `${kind} ${id.toHex()}`;
  const put = (kind: string, record: { id: Uint8Array } | null) => {
    records.set(key(kind, record!.id), record!);
    return Promise.resolve({ id: record!.id });
  };
  const get = (kind: string, id: Uint8Array) => {
    const record = records.get(key(kind, id));
    if (!record) throw new RpcError('NotFound', `There is no ${kind}.`);
    return { createdAt: null, updatedAt: null, [kind]: record };
  };
  const remove = async (kind: string, id: Uint8Array) => {
    if (!records.delete(key(kind, id))) throw new RpcError('NotFound', `There is no ${kind}.`);
    return {};
  };
  const kinds = ['serviceProfile', 'deviceProfile', 'gatewayProfile', 'routingProfile'];
  const provisioning = kinds.flatMap((kind) => {
    const Kind = kind.charAt(0).toUpperCase() + kind.slice(1);
    return [
      [`create${Kind}`, (request: Record<string, { id: Uint8Array }>) => put(kind, request[kind]!)],
      [`update${Kind}`, (request: Record<string, { id: Uint8Array }>) => put(kind, request[kind]!).then(() => ({}))],
      [`get${Kind}`, async ({ id }: { id: Uint8Array }) => get(kind, id)],
      [`delete${Kind}`, ({ id }: { id: Uint8Array }) => remove(kind, id)],
    ];
  });
  return {
    ...Object.fromEntries(provisioning),
    getVersion: async () => ({ region: 'EU868', version: 'fake' }),
    getADRAlgorithms: async () => ({ adrAlgorithms: [{ id: 'default', name: 'Default ADR algorithm' }] }),
  } as unknown as ns.NetworkServerService;
}
