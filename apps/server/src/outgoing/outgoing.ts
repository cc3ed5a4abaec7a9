import type { LookupAddress } from 'node:dns';
import { networkInterfaces } from 'node:os';
import { RpcError } from '@hilltop/protobuf';
import { anyOf, cidr } from '../cidr.ts';
import type { Metrics } from '../metrics.ts';
import { embeddedIn } from './embedded.ts';
import { createNameResolver, type Lookup } from './name-resolver.ts';
import { reservedRanges } from './ranges.ts';

/** Where this server may connect to when somebody fills in an address. */
export interface Outgoing {
  /**
   * The addresses behind a host, checked; connect to these and not to the name, which might lead elsewhere a moment
   * later. Rejects with RpcError: `Unavailable` when there are none, `FailedPrecondition` when one of them is refused.
   */
  resolve: (host: string, port: number) => Promise<LookupAddress[]>;
}

/** A server of ours that is none of anybody's business: the database, for one. */
export interface ProtectedServer {
  host: string;
  port: number;
  /** What to call it. */
  description: string;
}

/**
 * Where machines of a cloud ask for their own credentials and secrets: most of them and AWS over IPv6, containers and
 * pods of AWS, Google over IPv6, Azure's platform (an address of the world), Alibaba and Oracle's first one.
 */
const isMetadata = anyOf([
  ...['169.254.169.254', 'fd00:ec2::254', '169.254.170.2', '169.254.170.23', 'fd00:ec2::23', 'fd20:ce::254'],
  ...['168.63.129.16', '100.100.100.200', '192.0.0.192'],
]);

const ranges = reservedRanges.map(([range, what]) => ({ range, what, has: cidr(range)! }));

/**
 * `allow` are the ranges that a setting opens although they are reserved. `ownPorts` on the addresses of this machine,
 * `closed` servers and the metadata of clouds stay closed in any case.
 */
export function createOutgoing({
  allow,
  ownPorts,
  closed = [],
  metrics,
  addressesOf = createNameResolver(),
}: {
  allow: readonly string[];
  ownPorts: readonly number[];
  closed?: readonly ProtectedServer[];
  metrics?: Pick<Metrics, 'count'>;
  addressesOf?: Lookup;
}): Outgoing {
  const isAllowed = anyOf(allow);

  function refuse(why: 'own' | 'metadata' | 'closed' | 'range', text: string): RpcError {
    metrics?.count('outgoing_refused', { why });
    return new RpcError('FailedPrecondition', text);
  }

  function check(host: string, port: number, written: string): void {
    const address = written.replace(/%.*$/, '');
    if (ownPorts.includes(port) && isOwn(address))
      throw refuse('own', `${host}:${port} is this server itself. Give the address of the other one.`);
    for (const one of [address, ...embeddedIn(address)]) {
      checkRange(host, one);
      if (isMetadata(one))
        throw refuse('metadata', `${host} leads to the credentials of this machine. Give another address.`);
    }
  }

  async function checkClosed(host: string, port: number, addresses: readonly LookupAddress[]): Promise<void> {
    for (const one of closed.filter((other) => other.port === port)) {
      const its = await addressesOf(one.host);
      const isIt = ({ address }: LookupAddress) =>
        [address, ...embeddedIn(address)].some((found) => its.some((other) => other.address === found));
      if (one.host === host || addresses.some(isIt) || (its.some(isOurs) && addresses.some(isOurs)))
        throw refuse('closed', `${host}:${port} is ${one.description} of this server. Give another address.`);
    }
  }

  function checkRange(host: string, address: string): void {
    const found = ranges.find(({ has }) => has(address));
    if (!found || isAllowed(address)) return;
    throw refuse(
      'range',
      `${host} leads to ${found.what}. If it is to be reached, add its address or a range such as ${found.range} to the setting HILLTOP_OUTGOING_ALLOW.`,
    );
  }

  return {
    resolve: async (host, port) => {
      const addresses = await addressesOf(host.replace(/^\[(.*)\]$/, '$1')).catch(() => []);
      if (addresses.length === 0)
        throw new RpcError('Unavailable', `The name ${host} is not known. Check its spelling.`);
      for (const { address } of addresses) check(host, port, address);
      await checkClosed(host, port, addresses);
      return addresses;
    },
  };
}

const isOurs = ({ address }: LookupAddress) => isOwn(address);

const thisMachine = ranges.filter(({ what }) => what === 'this machine');

function isOwn(address: string): boolean {
  if (embeddedIn(address).some(isOwn)) return true;
  if (thisMachine.some(({ has }) => has(address))) return true;
  const own = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  return own.some((one) => cidr(one.address)?.(address));
}
