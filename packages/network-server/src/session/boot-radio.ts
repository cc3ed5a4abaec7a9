import { type Channel, defaultChannelIndexes, defaultUplinkChannels, type Region } from '@hilltop/lorawan';
import type { DeviceProfileRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';
import { bootRX2 } from './boot-rx2.ts';

export type BootRadio = Pick<
  DeviceSession,
  | 'rxDelay'
  | 'rx1DROffset'
  | 'rx2DataRate'
  | 'rx2Frequency'
  | 'txPowerIndex'
  | 'lowestTxPowerIndex'
  | 'highestTxPowerIndex'
  | 'nbTrans'
  | 'dr'
  | 'extraChannels'
  | 'enabledChannels'
  | 'uplinkDwellTime400ms'
  | 'downlinkDwellTime400ms'
  | 'maxEIRPIndex'
  | 'pingSlotNb'
  | 'pingSlotDR'
  | 'pingSlotFrequency'
  | 'beaconFrequency'
>;

/** The radio parameters with which an ABP device starts, from its device profile; 0 means the value of the region. */
export function bootRadio({ region }: { region: Region }, profile: DeviceProfileRecord): BootRadio {
  const rx2 = bootRX2(region, profile);
  const extraChannels = presetChannels(region, profile.factoryPresetFreqs);
  return {
    rxDelay: profile.rxDelay1,
    rx1DROffset: profile.rxDrOffset1,
    rx2DataRate: rx2.dataRate,
    rx2Frequency: rx2.frequency,
    txPowerIndex: 0,
    lowestTxPowerIndex: 0,
    highestTxPowerIndex: null,
    nbTrans: 1,
    dr: 0,
    extraChannels,
    enabledChannels: [...defaultChannelIndexes(region), ...extraChannels.map(({ index }) => index)],
    uplinkDwellTime400ms: false,
    downlinkDwellTime400ms: false,
    maxEIRPIndex: 0,
    ...pingSlots(profile),
  };
}

/** Beacons and ping slots a class B device has from the start. */
export function pingSlots(
  profile: DeviceProfileRecord,
): Pick<DeviceSession, 'pingSlotNb' | 'pingSlotDR' | 'pingSlotFrequency' | 'beaconFrequency'> {
  const beaconFrequency = 0;
  if (!profile.supportsClassB) return { pingSlotNb: 0, pingSlotDR: 0, pingSlotFrequency: 0, beaconFrequency };
  return {
    beaconFrequency,
    pingSlotNb: profile.pingSlotPeriod > 0 ? 4096 / profile.pingSlotPeriod : 0,
    pingSlotDR: profile.pingSlotDr,
    pingSlotFrequency: profile.pingSlotFreq,
  };
}

/** Preset frequencies besides the region's own channels, which every device has anyway. */
function presetChannels(region: Region, frequencies: readonly number[]): Channel[] {
  const defaults = defaultUplinkChannels(region);
  const [minDR, maxDR] = region.uplinkDataRates;
  return frequencies
    .filter((frequency) => frequency > 0 && !defaults.some((channel) => channel.frequency === frequency))
    .map((frequency, position) => ({ index: defaults.length + position, frequency, minDR, maxDR }));
}
