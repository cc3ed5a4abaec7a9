import type { AirtimeStep } from '@hilltop/contract';
import { Paper, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { query } from '../../api/queries.ts';
import { Chart } from '../../components/chart/chart.tsx';
import { RangePicker } from '../../components/chart/range-picker.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import classes from './airtime.module.css';
import { receivedChart, sentChart } from './airtime-charts.ts';
import { ChannelFigures, DeviceFigures, NetworkFigures, SubBandFigures } from './airtime-figures.tsx';
import { airtimeRanges, useAirtimeRange } from './airtime-range.ts';
import { formatAirtime } from './airtime-words.ts';

/** Airtime is added up once a minute. */
const refreshMs = 60_000;
const ranges = ['24h', '7d', '90d'] as const;

/** How long the gateway received and sent. */
export function GatewayAirtime() {
  const { gatewayID } = useIDs();
  const { range, period, choose } = useAirtimeRange(ranges);
  const airtime = useQuery({
    ...query('gatewayAirtime', 'get', { gatewayID, ...period }),
    refetchInterval: refreshMs,
  });
  const isRemote = airtime.data?.isReported === false;
  return (
    <Stack gap="md">
      {!isRemote && <RangePicker label="Range" ranges={airtimeRanges} offered={ranges} range={range} choose={choose} />}
      <Loaded query={airtime} skeleton={<Skeleton height={800} />}>
        {(answer) => {
          if (isRemote)
            return (
              <EmptyState title="Not reported">
                This gateway belongs to a remote network-server, which does not report frames to Hilltop.
              </EmptyState>
            );
          if (answer.steps.length === 0)
            return (
              <EmptyState title="No frames in this range">
                The gateway has received and sent nothing. Figures are added once a minute.
              </EmptyState>
            );
          const hours = (Date.parse(period.end) - Date.parse(period.start)) / 3_600_000;
          return (
            <>
              <Totals {...answer} />
              <Charts answer={answer} period={period} readAtMs={airtime.dataUpdatedAt} />
              <div className={classes.cards}>
                <SubBandFigures subBands={answer.subBands} hours={hours} />
                <ChannelFigures channels={answer.channels} hours={hours} />
                <DeviceFigures devices={answer.devices} ownMs={answer.ownMs} />
                <NetworkFigures networks={answer.networks} />
              </div>
            </>
          );
        }}
      </Loaded>
    </Stack>
  );
}

interface TotalsProps {
  ownMs: number;
  foreignMs: number;
  unreadableMs: number;
  unreadableFrames: number;
  sentMs: number;
}

function Totals({ ownMs, foreignMs, unreadableMs, unreadableFrames, sentMs }: TotalsProps) {
  const frames = unreadableFrames === 1 ? 'frame' : 'frames';
  const totals: [string, number][] = [
    ['Received from own devices', ownMs],
    ['Received from foreign devices', foreignMs],
    [`Unreadable, ${unreadableFrames.toLocaleString('en')} ${frames}`, unreadableMs],
    ['Sent', sentMs],
  ];
  return (
    <Paper>
      <dl className={classes.totals}>
        {totals.map(([name, ms]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatAirtime(ms)}</dd>
          </div>
        ))}
      </dl>
    </Paper>
  );
}

interface ChartsProps {
  answer: { stepMs: number; steps: readonly AirtimeStep[] };
  period: { start: string; end: string };
  readAtMs: number;
}

function Charts({ answer, period: { start, end }, readAtMs }: ChartsProps) {
  const charts = useMemo(() => {
    const period = { start, end };
    return { received: receivedChart(answer, period, readAtMs), sent: sentChart(answer, period, readAtMs) };
  }, [answer, start, end, readAtMs]);
  return (
    <div className={classes.cards}>
      <Chart title="Received (s)" data={charts.received} />
      <Chart title="Sent (s)" data={charts.sent} />
    </div>
  );
}
