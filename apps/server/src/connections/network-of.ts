import { isIPv6 } from 'node:net';
import { groupsOf } from '../ipv6.ts';

/**
 * Who an address counts as: itself for IPv4, also written as `::ffff:192.0.2.1`; its `/64` for IPv6, as everybody has at
 * least one of those to choose addresses from (RFC 6177).
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
