import { complete, DeviceProfile, type Operations } from '@hilltop/contract';
import { defaultUplinkChannels, type Region, regions, rx2Defaults } from '@hilltop/lorawan';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import type { Networks } from '../../network/network-servers.ts';
import { loadNetworkServer } from '../network-server/store.ts';

/** Defaults for most devices: version 1.0.3, at least one uplink a day. */
const everywhere = {
  macVersion: '1.0.3',
  regParamsRevision: 'A',
  adrAlgorithmID: 'default',
  uplinkInterval: '86400s',
  supportsJoin: true,
  rxDelay1: 1,
  pingSlotPeriod: 32,
} as const;

/** The usual device-profile of a region; without a region, what is usual everywhere. */
export function usualProfile(band: Region | undefined): DeviceProfile {
  return complete(DeviceProfile, { ...everywhere, ...(band && usualIn(band)) });
}

function usualIn(band: Region): Partial<DeviceProfile> {
  const rx2 = rx2Defaults(band);
  const [pingSlotFreq = 0] = band.pingSlot.frequencies;
  return {
    maxEIRP: Math.floor(band.maxEIRP),
    rxDataRate2: rx2.dataRate,
    rxFreq2: rx2.frequency,
    // In a fixed plan devices know all channels.
    factoryPresetFreqs:
      band.channelPlan === 'fixed' ? [] : defaultUplinkChannels(band).map(({ frequency }) => frequency),
    pingSlotDR: band.pingSlot.dataRate,
    // A region with frequency hopping has no single frequency.
    pingSlotFreq: band.pingSlot.frequencies.length === 1 ? pingSlotFreq : 0,
  };
}

const bandCalled = (name: string) => regions.find((one) => one.name === name || one.aliases.includes(name));

/** The initial values of a new device-profile, at each network server. */
export function profileDefaultsRoutes({
  database,
  networks,
}: {
  database: Database;
  networks: Networks;
}): Handlers<Operations['profileDefaults']> {
  return {
    get: async ({ networkServerID }) => {
      const { id } = await loadNetworkServer(database, networkServerID);
      const network = await networks.of(id);
      const [{ region }, { adrAlgorithms }] = await Promise.all([network.getVersion({}), network.getADRAlgorithms({})]);
      const band = bandCalled(region);
      const profile = usualProfile(band);
      const offered = adrAlgorithms.map((one) => one.id);
      const [first = profile.adrAlgorithmID] = offered;
      const adrAlgorithmID = offered.includes(profile.adrAlgorithmID) ? profile.adrAlgorithmID : first;
      return { deviceProfile: { ...profile, networkServerID, adrAlgorithmID, rfRegion: band?.name ?? region } };
    },
  };
}
