import type { Network } from '../network/network.ts';
import { type Cooldowns, isCooldown } from '../platform/cooldowns.ts';

/**
 * The cooldowns of these gateways and groups: among several instances those in the database, whichever instance has
 * sent.
 */
export async function cooldownsOf(
  { state, clock, isShared, multicastCooldowns: rests, settings }: Network,
  of: readonly string[],
): Promise<Pick<Cooldowns, 'left'>> {
  if (!isShared) return rests;
  const now = clock.now().getTime();
  const longestMs = settings.multicastGatewayDelayMs;
  const ends = await state.multicastRests(of);
  return {
    left(id) {
      const end = ends.get(id) ?? 0;
      return isCooldown(end, { now, longestMs }) ? end - now : 0;
    },
  };
}
