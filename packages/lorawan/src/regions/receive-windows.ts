import { defaultDownlinkChannels, defaultUplinkChannels } from './channels.ts';
import type { Region } from './region.ts';

/** Seconds from the end of a join-request to the two windows of its answer; the same everywhere. */
export const joinAcceptDelays = { rx1: 5, rx2: 6 } as const;

/** Frequency of the first window after an uplink, or null when a fixed plan has no channel on that uplink frequency. */
export function rx1Frequency(region: Region, uplinkFrequency: number): number | null {
  if (region.rx1ChannelModulo === null) return uplinkFrequency;
  const uplink = defaultUplinkChannels(region).find((channel) => channel.frequency === uplinkFrequency);
  if (!uplink) return null;
  return defaultDownlinkChannels(region)[uplink.index % region.rx1ChannelModulo]?.frequency ?? null;
}

/**
 * Data-rate of the first window, or null for an uplink data-rate or offset that the region does not define.
 * `regParamsRevision` is that of the device-profile: A and B are the older tables, all others RP002.
 */
export function rx1DataRate(
  region: Region,
  uplinkDataRate: number,
  rx1DROffset: number,
  { downlinkDwell = false, regParamsRevision = '' }: { downlinkDwell?: boolean; regParamsRevision?: string } = {},
): number | null {
  const family = regParamsRevision === 'A' || regParamsRevision === 'B' ? 'RP1' : 'RP002';
  const table = region.rx1DataRates.find(
    (candidate) => (candidate.family ?? family) === family && (candidate.dwell ?? downlinkDwell) === downlinkDwell,
  );
  return table?.rows[uplinkDataRate]?.[rx1DROffset] ?? null;
}

/** The number of offsets of the first window in the region, from 0 on. */
export function rx1Offsets({ rx1DataRates }: Region): number {
  return Math.min(...rx1DataRates.flatMap(({ rows }) => rows.flatMap((row) => (row ? [row.length] : []))));
}

/** The parameter with which no gateway of the region could send in a window; null when there is none. */
export function windowProblem(
  { dataRates, frequencyRange: [from, to] }: Region,
  { frequency, dataRate }: { frequency: number; dataRate: number },
): 'frequency' | 'dataRate' | null {
  if (!dataRates[dataRate]?.downlink) return 'dataRate';
  return from <= frequency && frequency <= to ? null : 'frequency';
}

/** Frequency and data-rate of the second window before any RXParamSetupReq. */
export function rx2Defaults(region: Region): { frequency: number; dataRate: number } {
  return region.rx2;
}
