import { isIPv6 } from 'node:net';
import { cidr } from '../cidr.ts';
import { groupsOf } from '../ipv6.ts';

/** The ranges of IPv6 addresses that contain an IPv4 address, and its bytes. */
const formats = [
  // NAT64, RFC 6052 section 2.2; byte 8 is no part of it.
  { range: '64:ff9b::/96', bytes: [12, 13, 14, 15] },
  { range: '64:ff9b:1::/48', bytes: [6, 7, 9, 10] },
  // 6to4, RFC 3056 section 2.
  { range: '2002::/16', bytes: [2, 3, 4, 5] },
  // Teredo, RFC 4380 section 4: its server, and the client with all bits inverted.
  { range: '2001::/32', bytes: [4, 5, 6, 7] },
  { range: '2001::/32', bytes: [12, 13, 14, 15], isInverted: true },
  // IPv4-mapped, IPv4-translated and IPv4-compatible.
  { range: '::ffff:0:0/96', bytes: [12, 13, 14, 15] },
  { range: '::ffff:0:0:0/96', bytes: [12, 13, 14, 15] },
  { range: '::/96', bytes: [12, 13, 14, 15] },
].map((format) => ({ ...format, contains: cidr(format.range)! }));

/** The IPv4 addresses that an IPv6 address leads to by translation or a tunnel; none for most addresses. */
export function embeddedIn(address: string): string[] {
  if (!isIPv6(address)) return [];
  const bytes = groupsOf(address).flatMap((group) => [group >> 8, group & 0xff]);
  // `::` and `::1` contain no IPv4 address.
  if (bytes.slice(0, 15).every((byte) => byte === 0)) return [];
  return formats
    .filter(({ contains }) => contains(address))
    .map(({ bytes: indexes, isInverted }) => indexes.map((index) => bytes[index]! ^ (isInverted ? 0xff : 0)).join('.'));
}
