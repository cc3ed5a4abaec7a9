/**
 * Which datagrams the Semtech UDP link takes before it looks up their gateway or parses them. The protocol has no proof:
 * anybody can send in the name of a gateway. The address that pulls for the gateway is therefore limited only while the
 * server is behind, and then to a fair share. Every other sender is limited per address, per gateway and overall, and to
 * much less while the server is behind.
 */
import type { Clock } from '../surroundings.ts';
import { createBuckets } from './buckets.ts';
import { createShares } from './shares.ts';

export interface DatagramSource {
  address: string;
  port: number;
}

/** `rate-limit`: of senders that do not pull for the gateway. `fair-share`: the server is behind. */
export type Refusal = 'rate-limit' | 'fair-share';

/** Frames per second. A busy gateway sends some hundred. */
const mostOfAddress = 1000;
const mostOfGateway = 1000;
const mostOfAll = 3000;
/** While the server is behind, senders that do not pull get this part of it. */
const partWhenBehind = 20;
/** A frame with its JSON. */
const frameBytes = 256;
/** After a start no gateway has pulled yet: forwarders do so every 5 to 30 s. */
const beforePullsMs = 30_000;

export function createDatagramLimits(clock: Clock, isBehind: () => boolean) {
  const startedAt = clock.monotonicMs();
  const ofAddress = createBuckets(clock, mostOfAddress);
  const ofGateway = createBuckets(clock, mostOfGateway);
  const ofAll = createBuckets(clock, mostOfAll);
  const strangerShares = createShares(clock, 5);
  const addressShares = createShares(clock, 20);
  const socketShares = createShares(clock, 20);

  function refuseStranger(address: string, gatewayID: string, frames: number): Refusal | null {
    const cost = isBehind() ? frames * partWhenBehind : frames;
    const left = Math.min(ofAddress.left(address), ofGateway.left(gatewayID), ofAll.left(''));
    // Senders alike use up the buckets together: an address that had little in this second may overdraw them.
    if (left <= (strangerShares.isSmall(address) ? -1 : 0)) return 'rate-limit';
    if (left < 0.5 && strangerShares.isAbove(address)) return 'fair-share';
    strangerShares.add(address, frames);
    ofAddress.spend(address, cost);
    ofGateway.spend(gatewayID, cost);
    ofAll.spend('', cost);
    return null;
  }

  /** Several gateways and programs may share an address: each socket has a share of that of its address. */
  function refuseHolder(address: string, port: number, frames: number): Refusal | null {
    if (!isBehind()) return null;
    const socket = `${address}/${port}`;
    if (addressShares.isAbove(address) || socketShares.isAbove(socket)) return 'fair-share';
    addressShares.add(address, frames);
    socketShares.add(socket, frames);
    return null;
  }

  return {
    /** null: it is taken. `isHolder`: it comes from the address that pulls for the gateway. */
    refuse(source: DatagramSource, gatewayID: string, bytes: number, isHolder: boolean): Refusal | null {
      const frames = Math.max(1, bytes / frameBytes);
      const address = networkOf(source.address);
      if (isHolder || clock.monotonicMs() - startedAt < beforePullsMs)
        return refuseHolder(address, source.port, frames);
      return refuseStranger(address, gatewayID, frames);
    },
  };
}

/** IPv4 as it is; of IPv6 the first 64 bits, within which everybody can choose addresses. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [beginning = ''] = address.split('::');
  return `${beginning
    .split(':')
    .slice(0, 4)
    .join(':')
    .replace(/(:0)+$/, '')}::/64`;
}
