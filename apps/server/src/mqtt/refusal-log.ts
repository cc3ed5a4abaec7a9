import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { networkOf } from '../connections/network-of.ts';
import { type Reason, reasons } from './reasons.ts';

const everyMs = 60_000;
const networksRemembered = 1_000;
const longestShown = 64;

/** Logs refused connections: for each address (IPv6: `/64`) the first of a minute. */
export function createRefusalLog(log: Pick<Logger, 'warn'>, monotonicMs: () => number) {
  const silentUntil = new LRUCache<string, number>({ max: networksRemembered });
  return ({ address, clientID }: { address: string; clientID: string }, reason: Reason): void => {
    const network = networkOf(address);
    if ((silentUntil.get(network) ?? 0) > monotonicMs()) return;
    silentUntil.set(network, monotonicMs() + everyMs);
    const shown = { address, clientID: clientID.slice(0, longestShown), reason, detail: reasons[reason].text };
    log.warn(shown, 'an MQTT connection was refused; others from its address are not logged for a minute');
  };
}
