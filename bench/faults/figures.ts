import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Sum of the counters of `/metrics` whose name the pattern matches. */
export async function countedBy(url: string, pattern: RegExp): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, name = '', value] = /^(\w+)(?:\{.*\})? (\S+)$/.exec(line) ?? [];
    if (pattern.test(name)) sum += Number(value);
  }
  return sum;
}

/** Bytes of all files in a folder, in MB. */
export function folderMB(folder: string): number {
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return Math.round(bytes / 2 ** 20);
}

/** Datagrams that came to a UDP port of this machine and found no room, by Linux's /proc. */
export function droppedAt(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = readFileSync('/proc/net/udp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return Number(sockets.find(([, address]) => address?.endsWith(local))?.at(-1) ?? 0);
}
