import type { AirtimeStep } from '@hilltop/contract';
import type { BarData } from '../../components/chart/chart-data.ts';

const hourMs = 3_600_000;
const hourFormat = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
const clockFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

interface Steps {
  stepMs: number;
  steps: readonly AirtimeStep[];
}

/** Seconds of each hour or day of the period, also of those without frames. */
function over({ stepMs, steps }: Steps, { start, end }: { start: string; end: string }, nowMs: number) {
  const known = new Map(steps.map((step) => [Date.parse(step.startsAt ?? ''), step]));
  const first = Math.floor(Date.parse(start) / stepMs) * stepMs;
  const times: number[] = [];
  for (let at = first; at < Date.parse(end); at += stepMs) times.push(at);
  const seconds = (of: (step: AirtimeStep) => number) =>
    times.map((at) => {
      const step = known.get(at);
      return step ? Math.round(of(step) / 10) / 100 : 0;
    });
  const per = stepMs === hourMs ? ('hour' as const) : ('day' as const);
  const names = times.map((at) => (per === 'hour' ? hourFormat.format(at) : new Date(at).toISOString().slice(0, 10)));
  const isOpen = nowMs < (times.at(-1) ?? 0) + stepMs;
  return { per, times: names, seconds, ...(isOpen && { until: clockFormat.format(nowMs) }) };
}

export function receivedChart(answer: Steps, period: { start: string; end: string }, nowMs: number): BarData {
  const { seconds, ...time } = over(answer, period, nowMs);
  return {
    kind: 'bars',
    ...time,
    series: [
      { name: 'own', color: '--data-1', values: seconds(({ ownMs }) => ownMs) },
      { name: 'foreign', color: '--data-2', values: seconds(({ foreignMs }) => foreignMs) },
      { name: 'unreadable', color: '--state-never', values: seconds(({ unreadableMs }) => unreadableMs) },
    ],
  };
}

export function sentChart(answer: Steps, period: { start: string; end: string }, nowMs: number): BarData {
  const { seconds, ...time } = over(answer, period, nowMs);
  return {
    kind: 'bars',
    ...time,
    series: [{ name: 'sent', color: '--data-3', values: seconds(({ sentMs }) => sentMs) }],
  };
}
