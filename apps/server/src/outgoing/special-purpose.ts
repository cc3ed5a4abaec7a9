/**
 * IANA's registries of special-purpose addresses, every block of them, as of 2025-10-09:
 * https://www.iana.org/assignments/iana-ipv4-special-registry and .../iana-ipv6-special-registry. Blocks within another
 * one with the same description are omitted. Globally reachable blocks are included: they belong to the network itself
 * (AS112, AMT, relays), and no endpoint of a user is there.
 */
export const specialPurpose = [
  ['127.0.0.0/8', 'this machine'],
  ['::1/128', 'this machine'],
  ['0.0.0.0/8', 'this machine'],
  ['::/128', 'this machine'],
  ['10.0.0.0/8', 'a private network'],
  ['172.16.0.0/12', 'a private network'],
  ['192.168.0.0/16', 'a private network'],
  ['fc00::/7', 'a private network'],
  ['100.64.0.0/10', "a provider's inner network"],
  ['169.254.0.0/16', 'the local link'],
  ['fe80::/10', 'the local link'],
  ['192.0.2.0/24', 'a range for documentation'],
  ['198.51.100.0/24', 'a range for documentation'],
  ['203.0.113.0/24', 'a range for documentation'],
  ['2001:db8::/32', 'a range for documentation'],
  ['3fff::/20', 'a range for documentation'],
  ['198.18.0.0/15', 'a range for measurements'],
  ['2001:2::/48', 'a range for measurements'],
  ['192.0.0.0/24', 'a range with a special purpose'],
  ['192.31.196.0/24', 'a range with a special purpose'],
  ['192.52.193.0/24', 'a range with a special purpose'],
  ['192.88.99.0/24', 'a range with a special purpose'],
  ['192.175.48.0/24', 'a range with a special purpose'],
  ['2620:4f:8000::/48', 'a range with a special purpose'],
  ['5f00::/16', 'a range with a special purpose'],
  ['240.0.0.0/4', 'a reserved range'],
  ['100::/64', 'a reserved range'],
  ['100:0:0:1::/64', 'a reserved range'],
  // These contain an IPv4 address, see embedded.ts.
  ['64:ff9b::/96', 'a translated address'],
  ['64:ff9b:1::/48', 'a translated address'],
  ['2001::/32', 'a translated address'],
  ['2002::/16', 'a translated address'],
  // Contains Teredo, measurements and other assignments of the IETF.
  ['2001::/23', 'a range with a special purpose'],
] as const;
