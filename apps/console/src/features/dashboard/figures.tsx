import type { Traffic } from '@hilltop/contract';
import { Paper, Skeleton, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SliceLink } from '../../components/chart/chart-data.ts';
import { AppLink } from '../../components/link/link.tsx';
import classes from './figures.module.css';
import type { ListLinks } from './list-links.ts';
import { TrafficBars } from './traffic-bars.tsx';
import { comparison, formatCount, sumOf, usualIs } from './traffic-words.ts';

interface Counts {
  activeCount: number;
  inactiveCount: number;
  neverSeenCount: number;
}

interface Props {
  /** Undefined while loading, null when loading has failed. */
  devices: Counts | undefined | null;
  gateways: Counts | undefined | null;
  traffic: Traffic | undefined;
  /** The server counts no traffic: the row has only devices and gateways. */
  hasNoTraffic: boolean;
  links: Pick<ListLinks, 'devices' | 'gateways'>;
}

/** A row of small figures: devices, gateways, and the traffic of the last 24 hours. */
export function Figures({ devices, gateways, traffic, hasNoTraffic, links }: Props) {
  return (
    <Paper component="section" aria-label="Figures" p={0} mb="md">
      <dl className={classes.figures} data-short={hasNoTraffic || undefined}>
        <Figure label="Devices" {...figureOf(devices)} link={links.devices.all} />
        <Figure label="Gateways" {...figureOf(gateways)} link={links.gateways.all} />
        {!hasNoTraffic && <TrafficFigures traffic={traffic} />}
      </dl>
    </Paper>
  );
}

function TrafficFigures({ traffic }: { traffic: Traffic | undefined }) {
  const sum = (of: 'uplinks' | 'downlinks' | 'errors') => traffic && sumOf(traffic, of);
  return (
    <>
      <Figure
        label="Uplinks, last 24 h"
        value={sum('uplinks')}
        note={traffic && <Comparison traffic={traffic} />}
        chart={traffic ? <TrafficBars traffic={traffic} /> : <Skeleton height={40} />}
      />
      <Figure label="Errors, last 24 h" value={sum('errors')} note={traffic && shareOfErrors(traffic)} />
      <Figure label="Downlinks, last 24 h" value={sum('downlinks')} note={traffic && 'from applications'} />
    </>
  );
}

function Comparison({ traffic }: { traffic: Traffic }) {
  const words = comparison(traffic);
  if (traffic.comparedDays === 0) return words;
  return (
    <Tooltip label={usualIs(traffic)}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard reads the tooltip */}
      <span tabIndex={0}>{words}</span>
    </Tooltip>
  );
}

/** "0.4 per 100 uplinks": a number of errors says little without the number of uplinks. */
function shareOfErrors(traffic: Traffic): string {
  const uplinks = sumOf(traffic, 'uplinks');
  if (uplinks === 0) return '';
  return `${((sumOf(traffic, 'errors') / uplinks) * 100).toFixed(1)} per 100 uplinks`;
}

/** A number of things and how many of them are active. */
function figureOf(counts: Counts | undefined | null) {
  if (!counts) return { value: counts, note: '' };
  const { activeCount, inactiveCount, neverSeenCount } = counts;
  return { value: activeCount + inactiveCount + neverSeenCount, note: `${formatCount(activeCount)} active` };
}

interface FigureProps {
  label: string;
  /** Undefined while loading, null when loading has failed. */
  value: number | undefined | null;
  note: ReactNode;
  link?: SliceLink | undefined;
  chart?: ReactNode;
}

function Figure({ label, value, note, link, chart }: FigureProps) {
  const number =
    value === undefined ? <Skeleton height={20} width={64} my={4} /> : value === null ? '–' : formatCount(value);
  return (
    <div className={classes.figure} data-chart={chart !== undefined || undefined}>
      <dt>{label}</dt>
      <dd className={classes.value}>
        {link && typeof value === 'number' ? <AppLink {...link}>{number}</AppLink> : number}
      </dd>
      <dd className={classes.note}>{note}</dd>
      {chart !== undefined && <dd className={classes.chart}>{chart}</dd>}
    </div>
  );
}
