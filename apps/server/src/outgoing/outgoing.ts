import { type LookupAddress, lookup } from 'node:dns';
import { networkInterfaces } from 'node:os';
import { RpcError } from '@hilltop/protobuf';
import { cidr } from './cidr.ts';
import { embeddedIn } from './embedded.ts';
import { reservedRanges } from './ranges.ts';

/** Where this server may connect to when somebody fills in an address. */
export interface Outgoing {
  /**
   * The addresses behind a host, checked; connect to these and not to the name, which might lead elsewhere a moment
   * later. Rejects with RpcError: `Unavailable` when there are none, `FailedPrecondition` when one of them is refused.
   */
  resolve: (host: string, port: number) => Promise<LookupAddress[]>;
}

type Lookup = (host: string) => Promise<LookupAddress[]>;

const ranges = reservedRanges.map(([range, what]) => ({ range, what, has: cidr(range)! }));

/**
 * `allow` are the ranges that a setting opens although they are reserved. `ownPorts` stay closed on the addresses of
 * this machine in any case.
 */
export function createOutgoing({
  allow,
  ownPorts,
  addressesOf = systemLookup,
}: {
  allow: readonly string[];
  ownPorts: readonly number[];
  addressesOf?: Lookup;
}): Outgoing {
  const allowed = allow.map((range) => cidr(range)!);

  function check(host: string, port: number, written: string): void {
    const address = written.replace(/%.*$/, '');
    if (ownPorts.includes(port) && isOwn(address))
      throw refuse(`${host}:${port} is this server itself. Give the address of the other one.`);
    for (const one of [address, ...embeddedIn(address)]) checkRange(host, one);
  }

  function checkRange(host: string, address: string): void {
    const found = ranges.find(({ has }) => has(address));
    if (!found || allowed.some((has) => has(address))) return;
    throw refuse(
      `${host} leads to ${found.what}. If it is to be reached, add its address or a range such as ${found.range} to the setting HILLTOP_OUTGOING_ALLOW.`,
    );
  }

  return {
    resolve: async (host, port) => {
      const addresses = await addressesOf(host.replace(/^\[(.*)\]$/, '$1')).catch(() => []);
      if (addresses.length === 0)
        throw new RpcError('Unavailable', `The name ${host} is not known. Check its spelling.`);
      for (const { address } of addresses) check(host, port, address);
      return addresses;
    },
  };
}

function refuse(text: string): RpcError {
  return new RpcError('FailedPrecondition', text);
}

function systemLookup(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

const thisMachine = ranges.filter(({ what }) => what === 'this machine');

function isOwn(address: string): boolean {
  if (embeddedIn(address).some(isOwn)) return true;
  if (thisMachine.some(({ has }) => has(address))) return true;
  const own = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  return own.some((one) => cidr(one.address)?.(address));
}
