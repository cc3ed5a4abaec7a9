import { ActionIcon, Group, Paper, Skeleton, Table, Title, Tooltip } from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { useState } from 'react';
import { loadedLater } from '../loaded-later/loaded-later.tsx';
import { AskWord } from '../words/explained.tsx';
import { wordOfTitle } from '../words/words.ts';
import classes from './chart.module.css';
import { type HeatmapData, isEmptyChart, summaryOf, type TimeData, tableOf } from './chart-data.ts';

const ChartCanvas = loadedLater(
  () => import('./chart-canvas.tsx').then((module) => module.ChartCanvas),
  <Skeleton height="100%" />,
);

interface ChartProps {
  title: string;
  /** Undefined while loading. The reference must be stable between renders. */
  data: TimeData | undefined;
}

/** A chart in a card. A toggle shows the same figures as a table. */
export function Chart({ title, data }: ChartProps) {
  const [isTable, setTable] = useState(false);
  const word = wordOfTitle(title);
  const isEmpty = data !== undefined && isEmptyChart(data);
  return (
    <Paper component="section" aria-label={title} className={classes.card} data-empty={isEmpty || undefined}>
      <Group justify="space-between" gap="xs" wrap="nowrap" mb={isEmpty ? 0 : 'xs'} h={28}>
        <Group gap={4} wrap="nowrap">
          <Title order={2} className={classes.title}>
            {title}
          </Title>
          {word && <AskWord word={word} />}
        </Group>
        {isEmpty && <p className={classes.none}>No data available.</p>}
        {data?.kind === 'heatmap' && !isEmpty && !isTable && <HeatScale data={data} />}
        {data && !isEmpty && (
          <Tooltip label={isTable ? 'Show the chart' : 'Show the figures'}>
            <ActionIcon
              aria-label={`${title}: show as ${isTable ? 'chart' : 'table'}`}
              onClick={() => setTable(!isTable)}
            >
              {isTable ? <IconChartBar size={16} /> : <IconTable size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
      {!isEmpty && (
        <div className={classes.drawing} data-kind={data?.kind}>
          {data === undefined && <Skeleton height="100%" />}
          {data && isTable && <FigureTable title={title} data={data} />}
          {data && !isTable && <ChartCanvas data={data} label={summaryOf(title, data)} />}
        </div>
      )}
    </Paper>
  );
}

/** The counts of the lightest and the darkest colour. */
function HeatScale({ data: { counts } }: { data: HeatmapData }) {
  return (
    <span className={classes.heat}>
      0<span className={classes.heatColors} aria-hidden />
      {Math.max(...counts.flat()).toLocaleString('en')}
    </span>
  );
}

function FigureTable({ title, data }: { title: string; data: TimeData }) {
  const { columns, rows } = tableOf(data);
  return (
    // The table scrolls on its own, so the keyboard must be able to reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes.table} tabIndex={0} aria-label={`${title} as a table`}>
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column, index) => (
              <Table.Th key={column} ta={index === 0 ? 'left' : 'right'}>
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row[0]}>
              {row.map((cell, index) => (
                <Table.Td key={columns[index]} ta={index === 0 ? 'left' : 'right'} className="number">
                  {cell}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
