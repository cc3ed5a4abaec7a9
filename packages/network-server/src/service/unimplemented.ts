import { type ns, RpcError } from '@hilltop/protobuf';

const later = {
  createMACCommandQueueItem: 'Queued MAC commands',
  generateGatewayClientCertificate: 'Client certificates of gateways',
  getGatewayStats: 'Statistics kept by the network server',
} as const;

/** Methods that this network server does not implement: each rejects with an explanation. */
export function unimplementedMethods(): Pick<ns.NetworkServerService, keyof typeof later> {
  const refuse = (what: string) => async (): Promise<never> => {
    throw new RpcError('Unimplemented', `${what} are not available in this network server.`);
  };
  const methods = Object.entries(later).map(([name, what]) => [name, refuse(what)]);
  return Object.fromEntries(methods) as Pick<ns.NetworkServerService, keyof typeof later>;
}
