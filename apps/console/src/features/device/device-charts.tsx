import type { DeviceStats } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import type { DaysData } from '../../components/chart/chart-data.ts';
import { useDayWindow } from '../../components/chart/day-window.ts';
import { StatsCharts } from '../../components/chart/stats-charts.tsx';
import { bars, dataRateBars, frequencyHeatmap, line } from '../../components/chart/stats-series.ts';

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
  const stats = useQuery(query('device', 'getStats', { devEUI, ...useDayWindow(30) }));
  return <StatsCharts stats={stats} charts={charts} />;
}
