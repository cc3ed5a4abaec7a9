import { Paper, SegmentedControl, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { query } from '../../../api/queries.ts';
import { Facts } from '../../../components/facts/facts.tsx';
import { ErrorState } from '../../../components/states/states.tsx';
import type { TimelineItem } from './exchanges.ts';
import { Strip } from './strip.tsx';
import {
  columnsOf,
  daysReceived,
  hourlyPoints,
  type StripColumn,
  type StripDays,
  stripDays,
  stripFields,
  stripStartMs,
  totalOf,
  usualGapMs,
} from './strip-columns.ts';
import classes from './timeline.module.css';

const usualDays: StripDays = 7;
const refreshMs = 60_000;

function useStripDays() {
  const { days: asked, ...address }: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const days = stripDays.find((one) => String(one) === asked) ?? usualDays;
  const choose = (next: string) => {
    const search = { ...address, days: next === String(usualDays) ? undefined : next };
    void navigate({ to: '.', replace: true, resetScroll: false, search });
  };
  return { days, choose };
}

interface OverviewProps {
  devEUI: string;
  items: readonly TimelineItem[];
  untilMs: number | undefined;
  onChoose: (column: StripColumn) => void;
}

/** What happened in the last days, in columns and in figures. */
export function TimelineOverview({ devEUI, items, untilMs, onChoose }: OverviewProps) {
  const { days, choose } = useStripDays();
  const series = useQuery({
    queryKey: ['series', 'timeline', devEUI, days],
    queryFn: async ({ signal }) => {
      const endMs = Date.now();
      const startMs = stripStartMs(days, endMs);
      const { result } = await query('series', 'get', {
        devEUI,
        fields: stripFields,
        start: new Date(startMs).toISOString(),
        end: new Date(endMs).toISOString(),
        points: hourlyPoints(startMs, endMs),
      }).queryFn({ signal });
      return { result, endMs };
    },
    refetchInterval: refreshMs,
  });
  const { data, error, refetch } = series;
  const columns = useMemo(() => data && columnsOf(data.result, days, data.endMs), [data, days]);
  const uplinkTimes = useMemo(
    () => items.filter(({ kind, note }) => kind === 'up' && !note.simulated).map(({ atMs }) => atMs),
    [items],
  );
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  const total = (field: string) => (data ? totalOf(data.result, field) : 0);
  return (
    <div className={classes.overview}>
      <Paper component="section" aria-label="Last days">
        <div className={classes.top}>
          <Title order={2}>Uplinks</Title>
          <SegmentedControl
            size="xs"
            aria-label="Days of the strip"
            value={String(days)}
            onChange={choose}
            data={stripDays.map((one) => ({ value: String(one), label: one === 1 ? '24 hours' : `${one} days` }))}
          />
        </div>
        <Strip days={days} columns={columns} untilMs={untilMs} onChoose={onChoose} />
      </Paper>
      <Paper component="section" aria-label="Figures">
        <Facts
          facts={
            data
              ? factsOf(total, { days: daysReceived(data.result, data.endMs), gapMs: usualGapMs(uplinkTimes) })
              : loadingFacts
          }
        />
      </Paper>
    </div>
  );
}

const names = ['Uplinks', 'Lost', 'Usual gap', 'Joins', 'Counter resets', 'Airtime per day'] as const;
const loadingFacts = names.map((name) => [name, '…'] as const);

function factsOf(total: (field: string) => number, { days, gapMs }: { days: number; gapMs: number | undefined }) {
  const [uplinks, lost, stopped] = [total('@uplinks'), total('@lost'), total('@stopped')];
  const values = [
    String(uplinks),
    lostText({ uplinks, lost, stopped }),
    gapMs === undefined ? undefined : durationText(gapMs),
    String(total('@joins')),
    String(total('@resets')),
    airtimeText(total('@airtime') / days),
  ];
  return names.map((name, at) => [name, values[at]] as const);
}

/** "3 (1.2 %), and 18 while the server was stopped". */
export function lostText({ uplinks, lost, stopped }: { uplinks: number; lost: number; stopped: number }): string {
  const share = lost > 0 ? ` (${((lost / (uplinks + lost)) * 100).toFixed(1)} %)` : '';
  return `${lost}${share}${stopped > 0 ? `, and ${stopped} while the server was stopped` : ''}`;
}

const airtimeText = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
