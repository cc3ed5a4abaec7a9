import type { Network } from '../network/network.ts';
import type { Reception } from '../radio/uplink.ts';

/** The receptions a device may use: private gateways serve only devices of their own service-profile. */
export async function allowedReceptions(
  network: Network,
  receptions: readonly Reception[],
  serviceProfileID: string,
): Promise<Reception[]> {
  const allowed: Reception[] = [];
  for (const reception of receptions) {
    const owner = reception.gateway?.serviceProfileID ?? '';
    const isForeign = owner !== '' && owner !== serviceProfileID;
    if (isForeign && (await network.state.get('serviceProfile', owner))?.gwsPrivate) continue;
    allowed.push(reception);
  }
  return allowed;
}
