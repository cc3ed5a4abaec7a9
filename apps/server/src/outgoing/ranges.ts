/**
 * Addresses that are not out in the world: nothing of ours goes there on the word of somebody who fills in a form. In
 * the order in which they are named to people; the registries are IANA's special-purpose address blocks.
 */
export const reservedRanges = [
  ['127.0.0.0/8', 'this machine'],
  ['::1/128', 'this machine'],
  ['0.0.0.0/8', 'this machine'],
  ['::/128', 'this machine'],
  ['10.0.0.0/8', 'a private network'],
  ['172.16.0.0/12', 'a private network'],
  ['192.168.0.0/16', 'a private network'],
  ['fc00::/7', 'a private network'],
  ['fec0::/10', 'a private network'],
  ['100.64.0.0/10', "a provider's inner network"],
  ['169.254.0.0/16', 'the local link'],
  ['fe80::/10', 'the local link'],
  ['192.0.0.0/24', 'a reserved range'],
  ['192.0.2.0/24', 'a range for documentation'],
  ['198.51.100.0/24', 'a range for documentation'],
  ['203.0.113.0/24', 'a range for documentation'],
  ['2001:db8::/32', 'a range for documentation'],
  ['3fff::/20', 'a range for documentation'],
  ['198.18.0.0/15', 'a range for measurements'],
  ['224.0.0.0/4', 'many receivers'],
  ['ff00::/8', 'many receivers'],
  ['240.0.0.0/4', 'a reserved range'],
  ['100::/64', 'a reserved range'],
  // These carry an IPv4 address inside that could be any of the above.
  ['64:ff9b::/96', 'a translated address'],
  ['64:ff9b:1::/48', 'a translated address'],
  ['2001::/32', 'a translated address'],
  ['2002::/16', 'a translated address'],
  ['::ffff:0:0:0/96', 'a translated address'],
  ['::/96', 'a translated address'],
] as const;
