import type { DeviceStats } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { query } from '../../api/queries.ts';
import { Chart } from '../../components/chart/chart.tsx';
import type { DaysData } from '../../components/chart/chart-data.ts';
import { ChartGrid } from '../../components/chart/chart-grid.tsx';
import { useDayWindow } from '../../components/chart/day-window.ts';
import { bars, dataRateBars, frequencyHeatmap, line } from '../../components/chart/stats-series.ts';
import { ErrorState } from '../../components/states/states.tsx';

type Days = readonly DeviceStats[];

const charts: Record<string, (days: Days) => DaysData> = {
  Received: (days) => line(days, 'uplink', (day) => day.rxPackets),
  Errors: (days) => bars(days, (day) => day.errors),
  SNR: (days) =>
    line(days, 'snr (reported by gateways)', (day) => (day.rxPackets > 0 ? day.gwSnr : null), {
      unit: 'dB',
      fromZero: false,
    }),
  RSSI: (days) =>
    line(days, 'rssi (reported by gateways)', (day) => (day.rxPackets > 0 ? day.gwRssi : null), {
      unit: 'dBm',
      fromZero: false,
    }),
  'Received / frequency': (days) => frequencyHeatmap(days, (day) => day.rxPacketsPerFrequency),
  'Received / DR': (days) => dataRateBars(days, (day) => day.rxPacketsPerDr),
};

/** What was heard of a device over the last 30 days. */
export function DeviceCharts({ devEUI }: { devEUI: string }) {
  const { data, error, refetch } = useQuery(query('device', 'getStats', { devEUI, ...useDayWindow(30) }));
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
