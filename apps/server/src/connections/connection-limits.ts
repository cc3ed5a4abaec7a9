import type { Server } from 'node:net';
import { networkOf } from './network-of.ts';

/** Reserved for the database, the journal, gateways and outgoing connections. */
const reservedFiles = 256;

export interface ConnectionLimits {
  /** The most connections of one listener. */
  all: number;
  /** The most connections of one address, or of one /64 network of IPv6. */
  perAddress: number;
}

export function connectionLimits(fileLimit: number): ConnectionLimits {
  const all = Math.max(64, Math.min(fileLimit - reservedFiles, 100_000));
  return { all, perAddress: Math.max(16, Math.min(4096, Math.floor(all / 4))) };
}

/**
 * Limits connections, so that no client uses up those of others: a connection above the share of its address is closed
 * at once and reported to `onRefused`. Trusted proxies forward for many clients, so theirs count only in total.
 */
export function limitConnections(
  server: Server,
  { all, perAddress }: ConnectionLimits,
  { isProxy, onRefused }: { isProxy: (address: string) => boolean; onRefused: () => void },
): void {
  const open = new Map<string, number>();
  server.maxConnections = all;
  server.on('drop', onRefused);
  // Before other listeners, which would begin to work for the connection.
  server.prependListener('connection', (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    const owner = networkOf(remoteAddress);
    const before = open.get(owner) ?? 0;
    if (before >= perAddress) {
      socket.destroy();
      onRefused();
      return;
    }
    open.set(owner, before + 1);
    socket.once('close', () => {
      const left = open.get(owner)! - 1;
      if (left > 0) open.set(owner, left);
      else open.delete(owner);
    });
  });
}
