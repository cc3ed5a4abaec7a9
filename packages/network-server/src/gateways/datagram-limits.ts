/**
 * Decides which datagrams the Semtech UDP link accepts before it looks up their gateway or parses them. The protocol
 * has no authentication: anybody can send in the name of a gateway. The address that pulls for the gateway is limited
 * only while the server is behind, and then only if it sends more than others. Every other sender is limited per
 * address, per gateway and overall, and to much less while the server is behind.
 */
import type { Clock } from '../platform/runtime.ts';
import { createFairLoad, windowsPerSecond } from './fair-load.ts';

export interface DatagramSource {
  address: string;
  port: number;
}

/** Frames per second of senders that do not pull. A busy gateway sends some hundred. */
const mostOfAddress = 1000;
const mostOfGateway = 1000;
const mostTogether = 3000;
/** Frames per second of one socket that does not pull itself, at the address that does; fewer while the server is behind. */
const mostOfNeighbour = 5000;
const mostOfNeighbourWhenBehind = 1500;
/** While the server is behind, other addresses get this part of their limit. */
const partWhenBehind = 1 / 20;
/** A frame with its JSON. */
const frameBytes = 256;
/** After a start gateways have not pulled yet: forwarders do so every 5 to 30 s. */
const beforePullsMs = 30_000;

export type Refusal = 'rate-limit' | 'server-behind';

/**
 * The sender of a datagram: `puller` is the socket that pulls for its gateway, `neighbour` another socket of the same
 * address (many forwarders push from a socket of its own), `stranger` another address; `without-path`: no address pulls.
 */
export type DatagramSender = 'puller' | 'neighbour' | 'stranger' | 'without-path';

export function createDatagramLimits(clock: Clock, isBehind: () => boolean) {
  const startedAt = clock.monotonicMs();
  const part = () => (isBehind() ? partWhenBehind : 1) / windowsPerSecond;
  const byAddress = createFairLoad(clock, () => ({
    together: mostTogether * part(),
    perGroup: mostOfAddress * part(),
  }));
  const byGateway = createFairLoad(clock, () => ({ together: Infinity, perGroup: mostOfGateway * part() }));
  const neighbours = createFairLoad(clock, () => ({
    together: Infinity,
    perGroup: (isBehind() ? mostOfNeighbourWhenBehind : mostOfNeighbour) / windowsPerSecond,
  }));
  const whileBehind = createCapacity(isBehind);
  const holders = createFairLoad(clock, (offered) => ({ together: whileBehind.limit(offered), perGroup: Infinity }));

  return {
    /** Why the datagram is dropped; null: it is accepted. */
    refusal(source: DatagramSource, gatewayID: string, bytes: number, sender: DatagramSender): Refusal | null {
      const frames = framesOf(bytes);
      const address = networkOf(source.address);
      const isEarly = clock.monotonicMs() - startedAt < beforePullsMs;
      if (sender === 'stranger' || (sender === 'without-path' && !isEarly)) {
        const isTaken = byAddress.take(address, gatewayID, frames) && byGateway.take(gatewayID, address, frames);
        return isTaken ? null : 'rate-limit';
      }
      const socket = `${address}/${source.port}`;
      if (sender === 'neighbour' && !neighbours.take(socket, gatewayID, frames)) return 'rate-limit';
      return holders.take(address, socket, frames) ? null : 'server-behind';
    },
    /** Call it when an accepted datagram has been handled. */
    done: (bytes: number): void => whileBehind.done(framesOf(bytes)),
  };
}

const framesOf = (bytes: number) => Math.max(1, bytes / frameBytes);

/** How many windows the server must be behind before datagrams are dropped: a short pause is no reason. */
const maxWindowsBehind = 4;
/** The accepted part of the server's capacity, so that it catches up. */
const partOfCapacity = 0.8;
const recovery = 1.25;
/** Frames per second: the limit is never lower, however little the server has handled. */
const lowest = 1000;

/** No limit while the server is not behind; else a part of what it handled in one of the two previous windows. */
function createCapacity(isBehind: () => boolean) {
  let most = Number.POSITIVE_INFINITY;
  let windowsBehind = 0;
  let [doneBefore, done] = [0, 0];
  return {
    done: (frames: number): void => void (done += frames),
    limit(offered: number): number {
      windowsBehind = isBehind() ? windowsBehind + 1 : 0;
      if (windowsBehind > maxWindowsBehind)
        most = Math.max(Math.max(doneBefore, done) * partOfCapacity, lowest / windowsPerSecond);
      else if (windowsBehind === 0) most = most * recovery < offered ? most * recovery : Number.POSITIVE_INFINITY;
      [doneBefore, done] = [done, 0];
      return most;
    },
  };
}

/** IPv4 addresses unchanged; the first 64 bits of IPv6, because the owner of a network can use any address in it. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [beginning = ''] = address.split('::');
  return `${beginning
    .split(':')
    .slice(0, 4)
    .join(':')
    .replace(/(:0)+$/, '')}::/64`;
}
