import { type Channel, maxTxPowerIndex, modulationOf, requiredSNR, uplinkChannels } from '@hilltop/lorawan';
import type { MacContext } from '../mac/rule.ts';
import type { ADRResponse } from './algorithm.ts';
import { adrAlgorithm } from './registry.ts';

/** What the algorithm of the device-profile makes of a session. */
export function adaptDataRate({ network, session, deviceProfile, serviceProfile }: MacContext): ADRResponse {
  const { region, settings } = network;
  const { dr, txPowerIndex, nbTrans } = session;
  if (!session.adr || settings.disableADR || !region.dataRates[dr]) return { dr, txPowerIndex, nbTrans };
  const algorithm = adrAlgorithm(deviceProfile.adrAlgorithmId);
  return algorithm.adapt({
    region,
    macVersion: deviceProfile.macVersion,
    regParamsRevision: deviceProfile.regParamsRevision,
    adr: true,
    dr,
    txPowerIndex,
    nbTrans,
    minTxPowerIndex: session.lowestTxPowerIndex,
    maxTxPowerIndex: session.highestTxPowerIndex ?? maxTxPowerIndex(region),
    requiredSNR: requiredSNR(modulationOf(region, dr)) ?? 0,
    installationMargin: settings.installationMargin,
    minDR: Math.max(serviceProfile.drMin, settings.adrMinDR ?? 0),
    maxDR: Math.min(serviceProfile.drMax, settings.adrMaxDR ?? Number.POSITIVE_INFINITY),
    channels: enabledChannels({ network, session }),
    history: session.uplinkHistory,
    random: () => (network.random(1)[0] ?? 0) / 256,
  });
}

function enabledChannels({ network, session }: Pick<MacContext, 'network' | 'session'>): Channel[] {
  const enabled = new Set(session.enabledChannels);
  return uplinkChannels(network.region, session.extraChannels).filter(({ index }) => enabled.has(index));
}
