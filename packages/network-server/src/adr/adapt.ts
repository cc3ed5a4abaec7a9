import {
  type Channel,
  deviceEIRP,
  maxPayloadSize,
  maxTxPowerIndex,
  modulationOf,
  type Region,
  requiredSNR,
  uplinkChannels,
} from '@hilltop/lorawan';
import type { DeviceContext } from '../network/device-context.ts';
import type { Settings } from '../settings/settings.ts';
import type { ADRResponse } from './algorithm.ts';
import { adrAlgorithm } from './registry.ts';

/** The result of the algorithm of the device profile for a session. */
export function adaptDataRate({ network, session, deviceProfile, serviceProfile }: DeviceContext): ADRResponse {
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
    maxTxPowerIndex: Math.min(session.highestTxPowerIndex ?? Infinity, weakestTxPowerIndex(region, settings)),
    requiredSNR: requiredSNR(modulationOf(region, dr)) ?? 0,
    installationMargin: settings.installationMargin,
    minDR: Math.max(serviceProfile.drMin, settings.adrMinDR ?? 0, slowestDataRate({ network, session, deviceProfile })),
    maxDR: Math.min(serviceProfile.drMax, settings.adrMaxDR ?? Infinity),
    channels: enabledChannels({ network, session }),
    history: session.uplinkHistory,
    random: () => (network.random(1)[0] ?? 0) / 256,
  });
}

/** The last index whose power is not below the minimum of the network. */
function weakestTxPowerIndex(region: Region, { adrMinTxPower }: Settings): number {
  const last = maxTxPowerIndex(region);
  if (adrMinTxPower === null) return last;
  for (let index = last; index > 0; index -= 1)
    if ((deviceEIRP(region, index) ?? -Infinity) >= adrMinTxPower) return index;
  return 0;
}

/** The slowest data-rate that fits into the dwell time of the device. */
function slowestDataRate({
  network: { region },
  session,
  deviceProfile,
}: Omit<DeviceContext, 'serviceProfile'>): number {
  const [slowest, fastest] = region.uplinkDataRates;
  const { macVersion, regParamsRevision } = deviceProfile;
  if (!session.uplinkDwellTime400ms) return slowest;
  const options = { repeater: false, dwell: true };
  for (let dr = slowest; dr < fastest; dr += 1)
    if ((maxPayloadSize(region, macVersion, regParamsRevision, dr, options)?.n ?? 0) > 0) return dr;
  return slowest;
}

function enabledChannels({ network, session }: Pick<DeviceContext, 'network' | 'session'>): Channel[] {
  const enabled = new Set(session.enabledChannels);
  return uplinkChannels(network.region, session.extraChannels).filter(({ index }) => enabled.has(index));
}
