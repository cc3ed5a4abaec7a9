import type { LookupAddress } from 'node:dns';
import { networkInterfaces } from 'node:os';
import { RpcError } from '@hilltop/protobuf';
import { anyOf, cidr } from '../cidr.ts';
import type { Metrics } from '../metrics.ts';
import { embeddedIn } from './embedded.ts';
import { createNameResolver, type Lookup } from './name-resolver.ts';
import { reservedRanges } from './ranges.ts';

/** Checks the addresses that users configure before this server connects to them. */
export interface Outgoing {
  /**
   * The checked addresses of a host. Connect to these and not to the name, which may lead to other addresses a moment later.
   * Rejects with RpcError: `Unavailable` when there are none, `FailedPrecondition` when one of them is not allowed.
   */
  resolve: (host: string, port: number) => Promise<LookupAddress[]>;
}

/** A server that no configured address may lead to, such as the database. */
export interface ProtectedServer {
  host: string;
  port: number;
  /** For error messages. */
  description: string;
}

/**
 * Metadata services, from which virtual machines of a cloud get credentials: most clouds and AWS over IPv6, containers and
 * pods of AWS, Google over IPv6, Azure's platform (a public address), Alibaba, and the first one of Oracle.
 */
const isMetadata = anyOf([
  ...['169.254.169.254', 'fd00:ec2::254', '169.254.170.2', '169.254.170.23', 'fd00:ec2::23', 'fd20:ce::254'],
  ...['168.63.129.16', '100.100.100.200', '192.0.0.192'],
]);

const ranges = reservedRanges.map(([range, description]) => ({ range, description, contains: cidr(range)! }));

/**
 * `allow` are reserved ranges that a setting allows. `ownPorts` on the addresses of this machine, `protectedServers` and
 * metadata services are never allowed.
 */
export function createOutgoing({
  allow,
  ownPorts,
  protectedServers = [],
  metrics,
  addressesOf = createNameResolver(),
}: {
  allow: readonly string[];
  ownPorts: readonly number[];
  protectedServers?: readonly ProtectedServer[];
  metrics?: Pick<Metrics, 'count'>;
  addressesOf?: Lookup;
}): Outgoing {
  const isAllowed = anyOf(allow);

  function refuse(why: 'own' | 'metadata' | 'closed' | 'range', text: string): RpcError {
    metrics?.count('outgoing_refused', { why });
    return new RpcError('FailedPrecondition', text);
  }

  function check(host: string, port: number, addressWithZone: string): void {
    const address = addressWithZone.replace(/%.*$/, '');
    if (ownPorts.includes(port) && isOwn(address))
      throw refuse('own', `${host}:${port} is this server itself. Give the address of another server.`);
    for (const target of [address, ...embeddedIn(address)]) {
      checkRange(host, target);
      if (isMetadata(target))
        throw refuse('metadata', `${host} leads to the credentials of this machine. Give another address.`);
    }
  }

  async function checkProtected(host: string, port: number, addresses: readonly LookupAddress[]): Promise<void> {
    for (const server of protectedServers.filter((candidate) => candidate.port === port)) {
      const serverAddresses = await addressesOf(server.host);
      const isServer = ({ address }: LookupAddress) =>
        [address, ...embeddedIn(address)].some((target) => serverAddresses.some((other) => other.address === target));
      const areOnThisMachine = serverAddresses.some(isOwnAddress) && addresses.some(isOwnAddress);
      if (server.host === host || addresses.some(isServer) || areOnThisMachine)
        throw refuse('closed', `${host}:${port} is ${server.description} of this server. Give another address.`);
    }
  }

  function checkRange(host: string, address: string): void {
    const reserved = ranges.find(({ contains }) => contains(address));
    if (!reserved || isAllowed(address)) return;
    throw refuse(
      'range',
      `${host} leads to ${reserved.description}. If it is to be reached, add its address or a range such as ${reserved.range} to the setting HILLTOP_OUTGOING_ALLOW.`,
    );
  }

  return {
    resolve: async (host, port) => {
      const addresses = await addressesOf(host.replace(/^\[(.*)\]$/, '$1')).catch(() => []);
      if (addresses.length === 0)
        throw new RpcError('Unavailable', `The name ${host} is not known. Check its spelling.`);
      for (const { address } of addresses) check(host, port, address);
      await checkProtected(host, port, addresses);
      return addresses;
    },
  };
}

const isOwnAddress = ({ address }: LookupAddress) => isOwn(address);

const thisMachine = ranges.filter(({ description }) => description === 'this machine');

function isOwn(address: string): boolean {
  if (embeddedIn(address).some(isOwn)) return true;
  if (thisMachine.some(({ contains }) => contains(address))) return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((ownAddress) => cidr(ownAddress.address)?.(address));
}
