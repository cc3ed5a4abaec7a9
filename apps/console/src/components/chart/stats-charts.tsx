import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ErrorState } from '../states/states.tsx';
import { Chart } from './chart.tsx';
import type { DaysData } from './chart-data.ts';
import { ChartGrid } from './chart-grid.tsx';

interface Props<Day> {
  stats: UseQueryResult<{ result: readonly Day[] }>;
  /** By title; the same table at each drawing. */
  charts: Readonly<Record<string, (days: readonly Day[]) => DaysData>>;
}

/** Charts of the same days, side by side. */
export function StatsCharts<Day>({ stats: { data, error, refetch }, charts }: Props<Day>) {
  const drawn = useMemo(
    () => Object.entries(charts).map(([title, draw]) => [title, data && draw(data.result)] as const),
    [data, charts],
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
