/**
 * The eight groups of an IPv6 address as numbers. Throws for any other text, including an address with a zone
 * (`%eth0`).
 */
export function groupsOf(address: string): number[] {
  // A URL normalizes the address to hexadecimal groups.
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail = ''] = hostname.slice(1, -1).split('::');
  const read = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [first, last] = [read(head), read(tail)];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}
