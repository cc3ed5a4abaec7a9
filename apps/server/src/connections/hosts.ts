/**
 * Whether a request names at most one host. `rawHeaders` alternates names and values as received. With two hosts, an
 * attacker can exploit that a proxy and the server choose different ones (RFC 9112, 3.2; RFC 9113, 8.3.1).
 */
export function namesOneHost(rawHeaders: readonly string[]): boolean {
  const hosts: string[] = [];
  let authority: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (name === 'host') hosts.push(rawHeaders[at + 1]!.toLowerCase());
    if (name === ':authority') authority = rawHeaders[at + 1]!.toLowerCase();
  }
  if (hosts.length > 1) return false;
  return authority === undefined || hosts.length === 0 || hosts[0] === authority;
}
