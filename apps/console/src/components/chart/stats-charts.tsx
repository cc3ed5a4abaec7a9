import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ErrorState } from '../states/states.tsx';
import { Chart } from './chart.tsx';
import type { TimeData } from './chart-data.ts';
import { ChartGrid } from './chart-grid.tsx';
import { RangePicker } from './range-picker.tsx';

interface Props<Bucket> {
  stats: UseQueryResult<{ result: readonly Bucket[] }>;
  /** By title; the reference must be stable between renders. */
  charts: Readonly<Record<string, (buckets: readonly Bucket[]) => TimeData>>;
}

/** Charts over the same time range, with the picker of that range. */
export function StatsCharts<Bucket>({ stats: { data, error, refetch }, charts }: Props<Bucket>) {
  const drawn = useMemo(
    () => Object.entries(charts).map(([title, draw]) => [title, data && draw(data.result)] as const),
    [data, charts],
  );
  return (
    <>
      <RangePicker />
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <ChartGrid>
          {drawn.map(([title, chart]) => (
            <Chart key={title} title={title} data={chart} />
          ))}
        </ChartGrid>
      )}
    </>
  );
}
