import type { GatewayStats } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import type { TimeData } from '../../components/chart/chart-data.ts';
import { StatsCharts } from '../../components/chart/stats-charts.tsx';
import { useStatsRange } from '../../components/chart/stats-range.ts';
import { bars, dataRateBars, frequencyHeatmap, line } from '../../components/chart/stats-series.ts';

type Buckets = readonly GatewayStats[];

const charts: Record<string, (buckets: Buckets) => TimeData> = {
  Received: (buckets) => line(buckets, 'rx received', (one) => one.rxPacketsReceivedOK),
  Transmitted: (buckets) => line(buckets, 'tx emitted', (one) => one.txPacketsEmitted),
  'Received / frequency': (buckets) => frequencyHeatmap(buckets, (one) => one.rxPacketsPerFrequency),
  'Transmitted / frequency': (buckets) => frequencyHeatmap(buckets, (one) => one.txPacketsPerFrequency),
  'Received / DR': (buckets) => dataRateBars(buckets, (one) => one.rxPacketsPerDr),
  'Transmitted / DR': (buckets) => dataRateBars(buckets, (one) => one.txPacketsPerDr),
  'Transmission / Ack status': (buckets) =>
    bars(buckets, (one) => one.txPacketsPerStatus, {
      colorOf: (status) => (status === 'OK' ? '--state-active' : undefined),
    }),
};

/** Statistics of a gateway over the last 30 days, or over the range of the page. */
export function GatewayCharts({ gatewayID }: { gatewayID: string }) {
  const stats = useQuery(query('gateway', 'getStats', { gatewayID, ...useStatsRange(29) }));
  return <StatsCharts stats={stats} charts={charts} />;
}
