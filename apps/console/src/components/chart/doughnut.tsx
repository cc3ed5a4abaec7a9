import { Paper, Skeleton, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { AppLink } from '../link/link.tsx';
import { ErrorState } from '../states/states.tsx';
import classes from './chart.module.css';
import { type DoughnutData, isEmptyChart, type SliceLink, summaryOf } from './chart-data.ts';

const count = new Intl.NumberFormat('en');

interface Props {
  title: string;
  /** What is counted, in the singular. */
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
    <Paper component="section" aria-label={title} className={`${classes.card} ${classes.countCard}`}>
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
  const total = sumOf(data);
  return (
    <>
      <div className={classes.ring}>
        <Ring label={summaryOf(title, data)} data={data} />
        <div className={classes.total} aria-hidden>
          <b className="number">{count.format(total)}</b>
          {total === 1 ? noun : `${noun}s`}
        </div>
      </div>
      <ul className={classes.legend} {...layoutOf(data.slices.length)}>
        {data.slices.map(({ label, value, color, link }) => (
          <li key={label}>
            <Row link={value > 0 ? link : undefined}>
              <span className={classes.swatch} style={{ background: `var(${color})` }} />
              <span>{label}</span>
              <span className="number">{count.format(value)}</span>
            </Row>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Rows of a full and of a low height that fit beside the ring. */
const [mostFullRows, mostLowRows] = [4, 6];

/** A longer legend has lower rows, then two columns, so that it is not higher than the ring. */
function layoutOf(rows: number) {
  if (rows <= mostFullRows) return {};
  if (rows <= mostLowRows) return { 'data-low': true };
  return {
    'data-low': true,
    'data-columns': true,
    style: { gridTemplateRows: `repeat(${Math.ceil(rows / 2)}, auto)` },
  };
}

interface LinkedProps {
  link: SliceLink | undefined;
  children: ReactNode;
}

function Row({ link, children }: LinkedProps) {
  return link === undefined ? (
    <span className={classes.row}>{children}</span>
  ) : (
    <AppLink className={classes.row ?? ''} {...link}>
      {children}
    </AppLink>
  );
}

const sumOf = ({ slices }: DoughnutData) => slices.reduce((sum, { value }) => sum + value, 0);

/** The share of the ring between two slices, and the least share of a slice: a single device is visible among thousands. */
const gap = 0.008;
const leastShare = 0.006;

/** Inline, so that it is painted together with its numbers. */
function Ring({ label, data }: { label: string; data: DoughnutData }) {
  const sum = sumOf(data);
  const slices = data.slices.filter(({ value }) => value > 0);
  // An image must not contain links.
  const isLinked = slices.some(({ link }) => link !== undefined);
  const gapHere = slices.length > 1 ? gap : 0;
  const starts = slices.map(
    (_, index) => slices.slice(0, index).reduce((before, { value }) => before + value, 0) / sum,
  );
  return (
    <svg viewBox="0 0 100 100" role={isLinked ? 'group' : 'img'} aria-label={label}>
      {slices.map(({ label: name, value, color, link }, index) => (
        <Slice key={name} link={link}>
          <circle
            cx="50"
            cy="50"
            r="42.5"
            pathLength="1"
            stroke={`var(${color})`}
            strokeDasharray={`${Math.max(value / sum - gapHere, leastShare).toFixed(4)} 1`}
            strokeDashoffset={(-(starts[index] ?? 0) - gapHere / 2).toFixed(4)}
          >
            <title>{`${name}, ${count.format(value)} of ${count.format(sum)}`}</title>
          </circle>
        </Slice>
      ))}
    </svg>
  );
}

/** Slices are links for the mouse; the keyboard has the same links in the legend. */
function Slice({ link, children }: LinkedProps) {
  return link === undefined ? (
    children
  ) : (
    <AppLink {...link} tabIndex={-1} aria-hidden>
      {children}
    </AppLink>
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
