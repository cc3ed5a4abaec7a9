import { Paper, Skeleton, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { ErrorState } from '../states/states.tsx';
import classes from './chart.module.css';
import { type DoughnutData, isEmptyChart, summaryOf } from './chart-data.ts';

const ChartCanvas = lazy(() => import('./chart-canvas.tsx').then((module) => ({ default: module.ChartCanvas })));

const count = new Intl.NumberFormat('en');

interface Props {
  title: string;
  /** What is counted, in the plural. */
  noun: string;
  /** Undefined while loading. The reference must be stable between renders. */
  data: DoughnutData | undefined;
  /** The error that prevented loading. */
  error: unknown;
  retry: () => void;
}

/** Counts as a ring in a card, with a legend that lists each count. */
export function Doughnut({ title, noun, data, error, retry }: Props) {
  return (
    <Paper component="section" aria-label={title} className={classes.card}>
      <Title order={2} className={classes.title} mb="sm">
        {title}
      </Title>
      <div className={classes.counts} aria-busy={!data && !error}>
        {data ? (
          <Counts title={title} noun={noun} data={data} />
        ) : error ? (
          <ErrorState error={error} retry={retry} />
        ) : (
          <Outline />
        )}
      </div>
    </Paper>
  );
}

function Counts({ title, noun, data }: { title: string; noun: string; data: DoughnutData }) {
  if (isEmptyChart(data)) return <p className={classes.empty}>No data available.</p>;
  return (
    <>
      <div className={classes.ring}>
        <Suspense>
          <ChartCanvas data={data} label={summaryOf(title, data)} />
        </Suspense>
        <div className={classes.total} aria-hidden>
          <b className="number">{count.format(data.slices.reduce((sum, { value }) => sum + value, 0))}</b>
          {noun}
        </div>
      </div>
      <ul className={classes.legend} data-many={data.slices.length > 7 || undefined}>
        {data.slices.map(({ label, value, color }) => (
          <li key={label}>
            <span className={classes.swatch} style={{ background: color }} />
            {label}
            <span className="number">{count.format(value)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Outline() {
  return (
    <>
      <Skeleton circle className={classes.ring ?? ''} />
      <div className={classes.legend}>
        {[80, 60, 70].map((width) => (
          <Skeleton key={width} height={12} width={`${width}%`} my={6} />
        ))}
      </div>
    </>
  );
}
