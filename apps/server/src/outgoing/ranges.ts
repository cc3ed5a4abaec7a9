import { specialPurpose } from './special-purpose.ts';

/**
 * Addresses that are not out in the world: nothing of ours goes there on the word of somebody who fills in a form. In
 * the order in which they are named to people.
 */
export const reservedRanges = [
  ...specialPurpose,
  // RFC 3879, RFC 5771 and RFC 4291: given back or for many, and therefore not in the registries.
  ['fec0::/10', 'a private network'],
  ['224.0.0.0/4', 'many receivers'],
  ['ff00::/8', 'many receivers'],
  // RFC 2765 and RFC 4291: forms of IPv4 addresses that are out of use.
  ['::ffff:0:0:0/96', 'a translated address'],
  ['::/96', 'a translated address'],
] as const;
