import { type ColorToken, dataRateToken } from '../../theme/data-colors.ts';
import type { BarData, HeatmapData, LineData } from './chart-data.ts';

/** One day or hour of statistics: `timestamp` is its beginning, in the time zone of the server for days. */
export interface Bucket {
  readonly timestamp: string | null;
}

type Counts = Readonly<Record<string, number>>;

const halfDayMs = 12 * 60 * 60 * 1000;
const dayFormat = new Intl.DateTimeFormat('sv-SE');

/**
 * The date of a record, `2026-11-21`. Uses noon of that day, because the day begins in the time zone of the server and
 * its beginning may be on the previous evening in the browser's.
 */
export function dayOf(record: Bucket): string {
  return dayFormat.format(new Date(Date.parse(record.timestamp ?? '') + halfDayMs));
}

const hourFormat = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' });

/** The time labels of the records: hours when consecutive records are an hour apart, days otherwise. */
function timesOf(records: readonly Bucket[]) {
  const [first, second] = records.map(({ timestamp }) => Date.parse(timestamp ?? ''));
  const isHourly = first !== undefined && second !== undefined && second - first < halfDayMs;
  if (!isHourly) return { per: 'day' as const, times: records.map(dayOf) };
  return {
    per: 'hour' as const,
    times: records.map(({ timestamp }) => hourFormat.format(Date.parse(timestamp ?? ''))),
  };
}

const clockFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const hourMs = 60 * 60 * 1000;

/** The time of day at which the last record was read, when its day or hour was not over then. */
export function untilOf(records: readonly Bucket[], readAtMs: number): string | undefined {
  const [before, last] = records.slice(-2).map(({ timestamp }) => Date.parse(timestamp ?? ''));
  if (before === undefined || last === undefined) return undefined;
  const lengthMs = last - before < halfDayMs ? hourMs : 2 * halfDayMs;
  return readAtMs < last + lengthMs ? clockFormat.format(readAtMs) : undefined;
}

/** One figure per record as a line. `valueOf` returns null when it was not measured. */
export function line<R extends Bucket>(
  records: readonly R[],
  name: string,
  valueOf: (record: R) => number | null,
  { unit, fromZero = true }: { unit?: string; fromZero?: boolean } = {},
): LineData {
  return {
    kind: 'line',
    ...timesOf(records),
    series: [{ name, values: records.map(valueOf) }],
    fromZero,
    ...(unit ? { unit } : {}),
  };
}

/** Counts by name as one bar series each. Numeric names sort as numbers. */
export function bars<R extends Bucket>(
  records: readonly R[],
  countsOf: (record: R) => Counts | null | undefined,
  {
    nameOf = (key) => key,
    colorOf,
  }: { nameOf?: (key: string) => string; colorOf?: (key: string) => ColorToken | undefined } = {},
): BarData {
  const series = keysOf(records, countsOf).map((key) => {
    const color = colorOf?.(key);
    return {
      name: nameOf(key),
      values: records.map((record) => countsOf(record)?.[key] ?? 0),
      ...(color ? { color } : {}),
    };
  });
  return { kind: 'bars', ...timesOf(records), series };
}

/** One bar series per data-rate, named `DR5`, with the same colour in every chart. */
export function dataRateBars<R extends Bucket>(
  records: readonly R[],
  countsOf: (record: R) => Counts | null | undefined,
): BarData {
  return bars(records, countsOf, { nameOf: (dr) => `DR${dr}`, colorOf: (dr) => dataRateToken(Number(dr)) });
}

/** Counts per frequency (keys in Hz) as a heatmap with one row per frequency in MHz, lowest first. */
export function frequencyHeatmap<R extends Bucket>(
  records: readonly R[],
  countsOf: (record: R) => Counts | null | undefined,
): HeatmapData {
  const frequencies = keysOf(records, countsOf);
  return {
    kind: 'heatmap',
    ...timesOf(records),
    // The server counts frequencies that are not part of the network under key 0.
    categories: frequencies.map((frequency) => (frequency === '0' ? 'other' : `${Number(frequency) / 1e6} MHz`)),
    counts: frequencies.map((frequency) => records.map((record) => countsOf(record)?.[frequency] ?? 0)),
  };
}

function keysOf<R>(records: readonly R[], countsOf: (record: R) => Counts | null | undefined): string[] {
  const keys = new Set(records.flatMap((record) => Object.keys(countsOf(record) ?? {})));
  return [...keys].sort((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1));
}
