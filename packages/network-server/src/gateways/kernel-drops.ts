import { readFile } from 'node:fs/promises';

/**
 * How many datagrams the kernel threw away since the socket was opened, because nobody read them in time: the last
 * column of `/proc/net/udp`. null where the platform does not tell.
 */
export async function kernelDrops({ port, isIPv6 }: { port: number; isIPv6: boolean }): Promise<number | null> {
  try {
    return dropsOf(await readFile(isIPv6 ? '/proc/net/udp6' : '/proc/net/udp', 'latin1'), port);
  } catch {
    return null;
  }
}

/** Of all sockets on the local port: `local_address` is the second column, as hex address and port. */
function dropsOf(table: string, port: number): number | null {
  let drops: number | null = null;
  for (const line of table.split('\n').slice(1)) {
    const columns = line.trim().split(/\s+/);
    if (Number.parseInt(columns[1]?.split(':')[1] ?? '', 16) !== port) continue;
    drops = (drops ?? 0) + Number(columns.at(-1));
  }
  return Number.isSafeInteger(drops) ? drops : null;
}
