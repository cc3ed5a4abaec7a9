import type { DeviceStats } from '@hilltop/contract';
import type { Counters } from '../../statistics/counters.ts';
import { countersOf } from '../../statistics/counters.ts';

/**
 * One bucket of the counters of a device, as the API returns it: signal strengths are means over the uplinks of the
 * bucket.
 */
export function toDeviceStats({ start, counters }: { start: number; counters: Counters }): DeviceStats {
  const rxPackets = counters['rx_count'] ?? 0;
  const mean = (name: string) => (rxPackets === 0 ? 0 : (counters[name] ?? 0) / rxPackets);
  return {
    timestamp: new Date(start).toISOString(),
    rxPackets,
    gwRssi: mean('gw_rssi_sum'),
    gwSnr: mean('gw_snr_sum'),
    rxPacketsPerFrequency: countersOf('rx_freq_', counters),
    rxPacketsPerDr: countersOf('rx_dr_', counters),
    errors: countersOf('error_', counters),
  };
}
