import type { GatewayStats } from '@hilltop/contract';
import { type Counters, countersOf } from '../../statistics/counters.ts';

/** One bucket of the counters of a gateway, as the API returns it. */
export function toGatewayStats({ start, counters }: { start: number; counters: Counters }): GatewayStats {
  return {
    timestamp: new Date(start).toISOString(),
    rxPacketsReceived: counters['rx_count'] ?? 0,
    rxPacketsReceivedOK: counters['rx_ok_count'] ?? 0,
    txPacketsReceived: counters['tx_count'] ?? 0,
    txPacketsEmitted: counters['tx_ok_count'] ?? 0,
    txPacketsPerFrequency: countersOf('tx_freq_', counters),
    rxPacketsPerFrequency: countersOf('rx_freq_', counters),
    txPacketsPerDr: countersOf('tx_dr_', counters),
    rxPacketsPerDr: countersOf('rx_dr_', counters),
    txPacketsPerStatus: countersOf('tx_status_', counters),
  };
}
