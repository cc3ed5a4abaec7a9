import { BlockList, isIP } from 'node:net';

/** A test for addresses in `10.0.0.0/8`, `fd00::/8` or a single address; undefined when the text is none of these. */
export function cidr(text: string): ((address: string) => boolean) | undefined {
  const [, network = '', length] = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(network);
  const longest = version === 4 ? 32 : 128;
  const prefix = Number(length ?? longest);
  if (version === 0 || prefix > longest) return undefined;
  const list = new BlockList();
  list.addSubnet(network, prefix, version === 4 ? 'ipv4' : 'ipv6');
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** A test for addresses in any of these valid ranges. */
export function anyOf(ranges: readonly string[]): (address: string) => boolean {
  const all = ranges.map((range) => cidr(range)!);
  return (address) => all.some((has) => has(address));
}
