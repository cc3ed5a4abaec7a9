import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ErrorState } from '../states/states.tsx';
import { Chart } from './chart.tsx';
import type { TimeData } from './chart-data.ts';
import { ChartGrid } from './chart-grid.tsx';
import { RangePicker } from './range-picker.tsx';
import { ranges, useRange } from './stats-range.ts';
import { type Bucket, untilOf } from './stats-series.ts';

interface Props<Of extends Bucket> {
  stats: UseQueryResult<{ result: readonly Of[] }>;
  /** By title; the reference must be stable between renders. */
  charts: Readonly<Record<string, (buckets: readonly Of[]) => TimeData>>;
}

/** Charts over the same time range, with the picker of that range. */
export function StatsCharts<Of extends Bucket>({ stats, charts }: Props<Of>) {
  const { data, dataUpdatedAt, error, refetch } = stats;
  const drawn = useMemo(() => {
    const until = data && untilOf(data.result, dataUpdatedAt);
    const draw = (one: (buckets: readonly Of[]) => TimeData) =>
      data && { ...one(data.result), ...(until === undefined ? {} : { until }) };
    return Object.entries(charts).map(([title, one]) => [title, draw(one)] as const);
  }, [data, dataUpdatedAt, charts]);
  return (
    <>
      <RangePicker label="Range of the charts" ranges={ranges} {...useRange()} />
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
