import { readFile } from 'node:fs/promises';

/** The receive queue of a UDP port in the kernel: unread bytes, and datagrams dropped since it was opened. */
export interface KernelQueue {
  waitingBytes: number;
  drops: number;
}

/** From `/proc/net/udp`; null on platforms without that file. */
export async function readKernelQueue(where: { port: number; isIPv6: boolean }): Promise<KernelQueue | null> {
  try {
    return queueOf(await readFile(where.isIPv6 ? '/proc/net/udp6' : '/proc/net/udp', 'latin1'), where.port);
  } catch {
    return null;
  }
}

/**
 * Of all sockets on the local port: `local_address` is the second column, as hex address and port; `tx_queue:rx_queue` in
 * hex the fifth; `drops` the last.
 */
function queueOf(table: string, port: number): KernelQueue | null {
  let sockets = 0;
  let [waitingBytes, drops] = [0, 0];
  for (const line of table.split('\n').slice(1)) {
    const columns = line.trim().split(/\s+/);
    if (Number.parseInt(columns[1]?.split(':')[1] ?? '', 16) !== port) continue;
    sockets += 1;
    waitingBytes += Number.parseInt(columns[4]?.split(':')[1] ?? '', 16);
    drops += Number(columns.at(-1));
  }
  return sockets > 0 && Number.isSafeInteger(waitingBytes + drops) ? { waitingBytes, drops } : null;
}
