import { specialPurpose } from './special-purpose.ts';

/**
 * Addresses that are not public: nothing is sent there unless a setting allows it. The first range of an address gives the
 * description in error messages.
 */
export const reservedRanges = [
  ...specialPurpose,
  // RFC 3879, RFC 5771 and RFC 4291: deprecated or multicast, and therefore not in the registries.
  ['fec0::/10', 'a private network'],
  ['224.0.0.0/4', 'many receivers'],
  ['ff00::/8', 'many receivers'],
  // RFC 2765 and RFC 4291: obsolete formats of IPv4 addresses.
  ['::ffff:0:0:0/96', 'a translated address'],
  ['::/96', 'a translated address'],
] as const;
