import type { Series } from '@hilltop/contract';
import type { ColorToken } from '../../theme/data-colors.ts';

/** The values of a step, or one value. */
export interface SeriesPoint {
  /** Milliseconds since 1970: the beginning of the step. */
  readonly at: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

export interface SeriesLine {
  /** Empty when the chart has one line. */
  readonly name: string;
  readonly color: ColorToken;
  readonly points: readonly SeriesPoint[];
  /** 0: each point is one value. */
  readonly stepMs: number;
}

export interface SeriesChartData {
  /** Lines of measured values, lines of values that stay until the next one, or sums as bars. */
  readonly kind: 'line' | 'step' | 'bars';
  readonly unit: string;
  readonly lines: readonly SeriesLine[];
  readonly from: number;
  readonly to: number;
}

export function pointsOf({ at, count, mean, min, max }: Series): SeriesPoint[] {
  return at.map((one, index) => ({
    ...{ at: one, mean: mean[index] ?? 0, min: min[index] ?? 0 },
    ...{ max: max[index] ?? 0, count: count[index] ?? 0 },
  }));
}

/** After so many usual pauses without a value the line ends. */
const pausesOfGap = 3;

/** Where a line breaks: before which points, because nothing was received for too long. */
export function gapsOf(points: readonly SeriesPoint[], stepMs: number): ReadonlySet<number> {
  const pauses = points.slice(1).map(({ at }, index) => at - points[index]!.at);
  const usual = Math.max(stepMs, pauses.toSorted((one, other) => one - other)[Math.floor(pauses.length / 2)] ?? 0);
  return new Set(pauses.flatMap((pause, index) => (pause > pausesOfGap * usual ? [index + 1] : [])));
}

/** Sums of counted values in equal steps over a range. */
export function sumsOf(
  points: readonly SeriesPoint[],
  { from, to, stepMs }: { from: number; to: number; stepMs: number },
): SeriesPoint[] {
  const sums = new Map<number, number>();
  for (let at = Math.floor(from / stepMs) * stepMs; at <= to; at += stepMs) sums.set(at, 0);
  for (const { at, mean, count } of points) {
    const begin = Math.floor(at / stepMs) * stepMs;
    if (sums.has(begin)) sums.set(begin, sums.get(begin)! + mean * count);
  }
  return Array.from(sums, ([at, sum]) => ({ at, mean: sum, min: sum, max: sum, count: 1 }));
}

/** The point nearest to a time, unless it is further away than a gap. */
export function nearestTo({ points, stepMs }: SeriesLine, time: number, range: number): SeriesPoint | undefined {
  let [low, high] = [0, points.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]!.at + stepMs / 2 < time) low = middle + 1;
    else high = middle;
  }
  const distance = (point: SeriesPoint | undefined) =>
    point ? Math.abs(point.at + stepMs / 2 - time) : Number.POSITIVE_INFINITY;
  const [before, after] = [points[low - 1], points[low]];
  const nearest = distance(before) < distance(after) ? before : after;
  return distance(nearest) <= Math.max(stepMs, range / 20) ? nearest : undefined;
}

/** 21.400000000000002 becomes 21.4, a mean of many values 21.43, and of levels in decibels -4.5. */
export function valueText(value: number, unit: string): string {
  if (unit === 'dB' || unit === 'dBm') return `${Math.round(value * 10) / 10} ${unit}`;
  const digits = Math.abs(value) >= 1000 ? Math.round(value * 10) / 10 : Number(value.toPrecision(4));
  return unit === '' ? String(digits) : `${digits} ${unit}`;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const tickSteps = [minute, 5 * minute, 10 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour];
const tickDays = [1, 2, 7, 14, 28];

/** Times of axis labels in local time: whole minutes, hours or days. */
export function timeTicks(from: number, to: number, most: number): number[] {
  const step = tickSteps.find((one) => (to - from) / one <= most);
  const begin = new Date(from);
  begin.setHours(0, 0, 0, 0);
  const ticks: number[] = [];
  if (step !== undefined) {
    for (let at = begin.getTime(); at <= to; at += step) if (at >= from) ticks.push(at);
    return ticks;
  }
  const days = tickDays.find((one) => (to - from) / (one * day) <= most) ?? tickDays.at(-1)!;
  for (; begin.getTime() <= to; begin.setDate(begin.getDate() + days))
    if (begin.getTime() >= from) ticks.push(begin.getTime());
  return ticks;
}

const dayText = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const timeText = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** `14:00`, and `21 Nov` at midnight. */
export function tickText(at: number): string {
  const date = new Date(at);
  return date.getHours() === 0 && date.getMinutes() === 0 ? dayText.format(date) : timeText.format(date);
}

/** `21 Nov, 14:05`. */
export const momentText = (at: number): string => `${dayText.format(at)}, ${timeText.format(at)}`;
