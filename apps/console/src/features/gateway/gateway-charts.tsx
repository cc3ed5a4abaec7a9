import type { GatewayStats } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { query } from '../../api/queries.ts';
import { Chart } from '../../components/chart/chart.tsx';
import type { DaysData } from '../../components/chart/chart-data.ts';
import { ChartGrid } from '../../components/chart/chart-grid.tsx';
import { useDayWindow } from '../../components/chart/day-window.ts';
import { bars, dataRateBars, frequencyHeatmap, line } from '../../components/chart/stats-series.ts';
import { ErrorState } from '../../components/states/states.tsx';

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
  const { data, error, refetch } = useQuery(query('gateway', 'getStats', { gatewayID, ...useDayWindow(29) }));
  const drawn = useMemo(
    () => Object.entries(charts).map(([title, draw]) => [title, data && draw(data.result)] as const),
    [data],
  );
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  return (
    <ChartGrid>
      {drawn.map(([title, chart]) => (
        <Chart key={title} title={title} data={chart} />
      ))}
    </ChartGrid>
  );
}
