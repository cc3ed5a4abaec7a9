import { isIPv4, isIPv6 } from 'node:net';
import { bytesOf } from '../outgoing/embedded.ts';

/** Whom an address counts for: itself, or the network of 64 bits that one subscriber of IPv6 has to themselves. */
export function networkOf(address: string): string {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (isIPv4(bare) || !isIPv6(bare)) return bare;
  return Uint8Array.from(bytesOf(bare).slice(0, 8)).toHex();
}
