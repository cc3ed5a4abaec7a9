import { ActionIcon, Paper, Skeleton, Table, Title, Tooltip } from '@mantine/core';
import { IconChartLine, IconTable } from '@tabler/icons-react';
import { useState } from 'react';
import { loadedLater } from '../loaded-later/loaded-later.tsx';
import { type Crosshair, useCrosshairTime } from './crosshair.ts';
import classes from './series-chart.module.css';
import { momentText, nearestTo, type SeriesChartData, valueText } from './series-data.ts';
import { useNearViewport } from './use-near-viewport.ts';

const SeriesCanvas = loadedLater(
  () => import('./series-canvas.tsx').then((module) => module.SeriesCanvas),
  <Skeleton height="100%" />,
);
// The code arrives together with the first values. After a failure the first chart loads it again.
SeriesCanvas.load().catch(() => undefined);

interface Props {
  title: string;
  /** What is measured, if that is known. */
  quantity?: string;
  /** Undefined while loading. The reference must be stable between renders. */
  data: SeriesChartData | undefined;
  crosshair: Crosshair;
  onZoom: (from: number, to: number) => void;
  onReset: () => void;
}

const isEmpty = ({ kind, lines }: SeriesChartData) =>
  lines.every(({ points }) => (kind === 'bars' ? points.every(({ mean }) => mean === 0) : points.length === 0));

/** A field over time, in a card. A toggle shows the same figures as a table. */
export function SeriesChart({ title, quantity = '', data, crosshair, onZoom, onReset }: Props) {
  const [isTable, setTable] = useState(false);
  const [place, isNear] = useNearViewport<HTMLDivElement>();
  const isNothing = data !== undefined && isEmpty(data);
  const what = [quantity, data?.unit].filter(Boolean).join(', ');
  const pointers = { crosshair, onZoom, onReset };
  return (
    <Paper component="section" aria-label={title} className={classes.card}>
      <div className={classes.head}>
        <Title order={3} className={classes.title}>
          {title}
        </Title>
        {what !== '' && <span className={classes.quantity}>{what}</span>}
        <span className={classes.values}>{data && <CrosshairValues data={data} crosshair={crosshair} />}</span>
        <Tooltip label={isTable ? 'Show the chart' : 'Show the figures'}>
          <ActionIcon
            aria-label={`${title}: show as ${isTable ? 'chart' : 'table'}`}
            disabled={!data || isNothing}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? <IconChartLine size={16} /> : <IconTable size={16} />}
          </ActionIcon>
        </Tooltip>
      </div>
      <div ref={place} className={classes.drawing}>
        {data === undefined && <Skeleton height="100%" />}
        {isNothing && <p className={classes.empty}>No values in this time.</p>}
        {data && !isNothing && isTable && <FigureTable title={title} data={data} />}
        {data && !isNothing && !isTable && isNear && (
          <SeriesCanvas data={data} label={summaryOf(title, data)} {...pointers} />
        )}
      </div>
    </Paper>
  );
}

/** The values at the cross-hair, or the last ones. */
function CrosshairValues({ data, crosshair }: { data: SeriesChartData; crosshair: Crosshair }) {
  const at = useCrosshairTime(crosshair);
  const { lines, unit, from, to } = data;
  const found = lines.map((line) => ({
    ...line,
    point: at === undefined ? line.points.at(-1) : nearestTo(line, at, to - from),
  }));
  const time = at === undefined ? undefined : found.find(({ point }) => point)?.point?.at;
  return (
    <>
      {time !== undefined && <span className={classes.moment}>{momentText(time)}</span>}
      {found.map(({ name, color, point }) => (
        <span key={name}>
          {name !== '' && (
            <>
              <span className={classes.swatch} style={{ background: `var(${color})` }} />
              {name}{' '}
            </>
          )}
          <b>{point ? valueText(point.mean, unit) : '–'}</b>
          {point && point.max > point.min && lines.length === 1 && (
            <span className={classes.moment}>
              {' '}
              ({valueText(point.min, '')} to {valueText(point.max, '')})
            </span>
          )}
        </span>
      ))}
    </>
  );
}

function summaryOf(title: string, { lines, unit }: SeriesChartData): string {
  const parts = lines.map(({ name, points }) => {
    const last = points.at(-1);
    const lowest = points.reduce((low, { min }) => Math.min(low, min), Number.POSITIVE_INFINITY);
    const highest = points.reduce((high, { max }) => Math.max(high, max), Number.NEGATIVE_INFINITY);
    const range = last ? `from ${valueText(lowest, unit)} to ${valueText(highest, unit)}` : 'no values';
    return [name, range, last && `last ${valueText(last.mean, unit)}`].filter(Boolean).join(', ');
  });
  return `${title}: ${parts.join('; ')}. Arrow keys move the time, + zooms in, - zooms out.`;
}

const mostRows = 500;

function FigureTable({ title, data: { lines, unit } }: { title: string; data: SeriesChartData }) {
  const times = [...new Set(lines.flatMap(({ points }) => points.map(({ at }) => at)))]
    .sort((one, other) => other - one)
    .slice(0, mostRows);
  const byTime = lines.map(({ points }) => new Map(points.map((point) => [point.at, point])));
  return (
    // The table scrolls on its own, so the keyboard must be able to reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes.table} tabIndex={0} aria-label={`${title} as a table`}>
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            {lines.map(({ name }) => (
              <Table.Th key={name} ta="right">
                {[name || 'Value', unit && `(${unit})`].filter(Boolean).join(' ')}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {times.map((at) => (
            <Table.Tr key={at}>
              <Table.Td className="number">{momentText(at)}</Table.Td>
              {byTime.map((points, index) => {
                const point = points.get(at);
                return (
                  <Table.Td key={lines[index]!.name} ta="right" className="number">
                    {point ? valueText(point.mean, '') : '–'}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
