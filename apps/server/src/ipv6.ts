/** The eight groups of an IPv6 address as numbers. Throws on what is none; a zone (`%eth0`) counts as none. */
export function groupsOf(address: string): number[] {
  // The only spelling a URL has is hexadecimal groups.
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail = ''] = hostname.slice(1, -1).split('::');
  const read = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [first, last] = [read(head), read(tail)];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}
