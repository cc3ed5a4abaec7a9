import type { Region } from '@hilltop/lorawan';
import type { GatewayNetwork } from '../gateways/link.ts';
import type { Count, Random } from '../platform/runtime.ts';
import type { State } from '../state/state.ts';
import { withUplinkID, writeCopy } from '../uplink/journal-copy.ts';

export interface JournalOnlyNetwork extends GatewayNetwork {
  /** Resolves when everything that was received is stored or refused. */
  settled(): Promise<void>;
}

/**
 * Replaces a network server that does not run yet: stores the uplinks of its gateways in the journal, which it
 * processes when it starts. Only the acknowledgement is sent. `most` limits the copies; further ones are refused.
 */
export function createJournalOnlyNetwork(needs: {
  region: Region;
  state: Pick<State, 'receive'>;
  random: Random;
  count: Count;
  most?: number;
}): JournalOnlyNetwork {
  const { region, state, random, count, most = 200_000 } = needs;
  const underway = new Set<Promise<unknown>>();
  let held = 0;

  return {
    region,
    isPlanned: () => true,
    beaconFrequency: () => 0,
    configurationOf: () => Promise.reject(new Error('The network server does not run yet.')),
    gatewayStats: () => Promise.resolve(),
    gatewaySeen: () => Promise.resolve(),
    transmitted: () => Promise.resolve(),
    async receive(frames) {
      if (held + frames.length > most) {
        count('uplinks_shed', {}, frames.length);
        throw new Error('Too many uplinks are held.');
      }
      held += frames.length;
      const work = state.receive(frames.map((frame) => writeCopy(withUplinkID(random, frame))));
      underway.add(work);
      try {
        await work;
        count('uplink_copies', {}, frames.length);
      } catch (error) {
        held -= frames.length;
        throw error;
      } finally {
        underway.delete(work);
      }
    },
    settled: async () => void (await Promise.allSettled(underway)),
  };
}
