import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The sum of all counters of `/metrics` whose name matches the pattern. */
export async function sumOfCounters(url: string, pattern: RegExp): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, name = '', value] = /^(\w+)(?:\{.*\})? (\S+)$/.exec(line) ?? [];
    if (pattern.test(name)) sum += Number(value);
  }
  return sum;
}

/** The size of all files in a folder, in MB. */
export function folderMB(folder: string): number {
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return Math.round(bytes / 2 ** 20);
}

/** Number of datagrams to a local UDP port that the kernel dropped because the buffer was full, from Linux's /proc. */
export function droppedDatagrams(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = readFileSync('/proc/net/udp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return Number(sockets.find(([, address]) => address?.endsWith(local))?.at(-1) ?? 0);
}
