import type { Server } from 'node:net';
import { networkOf } from './network-of.ts';

/** For the database, the journal, gateways and what the server opens itself. */
const keptBack = 256;

export interface Shares {
  /** All connections of one listener. */
  all: number;
  /** Those of one address, or of one IPv6 network of 64 bits. */
  perAddress: number;
}

export function sharesOf(fileLimit: number): Shares {
  const all = Math.max(64, Math.min(fileLimit - keptBack, 100_000));
  return { all, perAddress: Math.max(16, Math.min(4096, Math.floor(all / 4))) };
}

/**
 * Nobody takes the connections of the others: one above the share of its address is closed at once, and told to
 * `onRefused`. Proxies speak for many, so those that are trusted only count in all.
 */
export function shareConnections(
  server: Server,
  { all, perAddress }: Shares,
  { isProxy, onRefused }: { isProxy: (address: string) => boolean; onRefused: () => void },
): void {
  const open = new Map<string, number>();
  server.maxConnections = all;
  server.on('drop', onRefused);
  // Before what else listens, which would begin to work for the connection.
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
