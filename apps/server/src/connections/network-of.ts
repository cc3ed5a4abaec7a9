import { isIPv6 } from 'node:net';

/**
 * Who an address counts as: itself for IPv4, also written as `::ffff:192.0.2.1`; its `/64` for IPv6, as everybody has at
 * least one of those to choose addresses from (RFC 6177).
 */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const shortest = new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1);
  const [before = '', after] = shortest.split('::');
  const groups = before === '' ? [] : before.split(':');
  const missing = after === undefined ? 0 : 8 - groups.length - (after === '' ? 0 : after.split(':').length);
  const whole = [...groups, ...Array<string>(missing).fill('0'), ...(after ? after.split(':') : [])];
  return `${whole.slice(0, 4).join(':')}::/64`;
}
