import type { GatewayStats } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import type { DaysData } from '../../components/chart/chart-data.ts';
import { useDayWindow } from '../../components/chart/day-window.ts';
import { StatsCharts } from '../../components/chart/stats-charts.tsx';
import { bars, dataRateBars, frequencyHeatmap, line } from '../../components/chart/stats-series.ts';

type Days = readonly GatewayStats[];

const charts: Record<string, (days: Days) => DaysData> = {
  Received: (days) => line(days, 'rx received', (day) => day.rxPacketsReceivedOK),
  Transmitted: (days) => line(days, 'tx emitted', (day) => day.txPacketsEmitted),
  'Received / frequency': (days) => frequencyHeatmap(days, (day) => day.rxPacketsPerFrequency),
  'Transmitted / frequency': (days) => frequencyHeatmap(days, (day) => day.txPacketsPerFrequency),
  'Received / DR': (days) => dataRateBars(days, (day) => day.rxPacketsPerDr),
  'Transmitted / DR': (days) => dataRateBars(days, (day) => day.txPacketsPerDr),
  'Transmission / Ack status': (days) =>
    bars(days, (day) => day.txPacketsPerStatus, { colorOf: (status) => (status === 'OK' ? '#4caf50' : undefined) }),
};

/** What a gateway did over the last 30 days. */
export function GatewayCharts({ gatewayID }: { gatewayID: string }) {
  const stats = useQuery(query('gateway', 'getStats', { gatewayID, ...useDayWindow(29) }));
  return <StatsCharts stats={stats} charts={charts} />;
}
