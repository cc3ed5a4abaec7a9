import type { DeviceStats } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import type { TimeData } from '../../components/chart/chart-data.ts';
import { StatsCharts } from '../../components/chart/stats-charts.tsx';
import { useStatsRange } from '../../components/chart/stats-range.ts';
import { bars, dataRateBars, frequencyHeatmap, line } from '../../components/chart/stats-series.ts';

type Buckets = readonly DeviceStats[];

const charts: Record<string, (buckets: Buckets) => TimeData> = {
  Received: (buckets) => line(buckets, 'uplink', (one) => one.rxPackets),
  Errors: (buckets) => bars(buckets, (one) => one.errors),
  SNR: (buckets) =>
    line(buckets, 'snr (reported by gateways)', (one) => (one.rxPackets > 0 ? one.gwSnr : null), {
      unit: 'dB',
      fromZero: false,
    }),
  RSSI: (buckets) =>
    line(buckets, 'rssi (reported by gateways)', (one) => (one.rxPackets > 0 ? one.gwRssi : null), {
      unit: 'dBm',
      fromZero: false,
    }),
  'Received / frequency': (buckets) => frequencyHeatmap(buckets, (one) => one.rxPacketsPerFrequency),
  'Received / DR': (buckets) => dataRateBars(buckets, (one) => one.rxPacketsPerDr),
};

/** Statistics of a device over the last 30 days, or over the range of the page. */
export function DeviceCharts({ devEUI }: { devEUI: string }) {
  const stats = useQuery(query('device', 'getStats', { devEUI, ...useStatsRange(30) }));
  return <StatsCharts stats={stats} charts={charts} />;
}
