import { isIPv6 } from 'node:net';
import { groupsOf } from '../ipv6.ts';

/**
 * The network that limits count an address by: the address itself for IPv4, also written as `::ffff:192.0.2.1`; the
 * `/64` for IPv6, since every client can choose addresses from at least one of those (RFC 6177).
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address.replace(/%.*/, ''));
  const prefix = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}
