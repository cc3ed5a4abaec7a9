import type { ColorToken } from '../../theme/data-colors.ts';

/** The data of a chart, independent of its rendering. `null` is a gap: nothing was measured at that time. */
export interface Series {
  readonly name: string;
  readonly color?: ColorToken;
  readonly values: readonly (number | null)[];
}

interface OverTime {
  readonly per: 'day' | 'hour';
  /** One label per value: `2026-11-21`, or `2026-11-21 14:00` for an hour. */
  readonly times: readonly string[];
  /** Given when the last day or hour is not over: the time of day up to which it was counted, `10:03`. */
  readonly until?: string;
}

export interface LineData extends OverTime {
  readonly kind: 'line';
  readonly series: readonly Series[];
  readonly unit?: string;
  /** False fits the axis to the values, for quantities without a meaningful zero (dBm). */
  readonly fromZero: boolean;
}

export interface BarData extends OverTime {
  readonly kind: 'bars';
  /** Stacked on each other and named in a legend. */
  readonly series: readonly Series[];
}

export interface HeatmapData extends OverTime {
  readonly kind: 'heatmap';
  /** From bottom to top: `868.1 MHz`. */
  readonly categories: readonly string[];
  /** `counts[category][time]`. */
  readonly counts: readonly (readonly number[])[];
}

/** A list of what is counted, and the parameters of its address. */
export interface SliceLink {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

export interface Slice {
  readonly label: string;
  readonly value: number;
  readonly color: ColorToken;
  readonly link?: SliceLink | undefined;
}

export interface DoughnutData {
  readonly kind: 'doughnut';
  readonly slices: readonly Slice[];
}

/** Charts over days or hours. */
export type TimeData = LineData | BarData | HeatmapData;
export type ChartData = TimeData | DoughnutData;

/** Whether there is nothing to draw: no value at all, or only zero counts. */
export function isEmptyChart(data: ChartData): boolean {
  if (data.kind === 'doughnut') return data.slices.every((slice) => slice.value === 0);
  if (data.kind === 'heatmap') return data.counts.every((row) => row.every((count) => count === 0));
  const isNothing = (value: number | null) =>
    value === null || (value === 0 && !(data.kind === 'line' && !data.fromZero));
  return data.series.every((one) => one.values.every(isNothing));
}

export interface ChartTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The same figures as a table, newest first, without days and hours that have no data. */
export function tableOf(data: TimeData): ChartTable {
  const series = data.kind === 'heatmap' ? heatmapSeries(data) : data.series;
  const unit = data.kind === 'line' && data.unit ? ` (${data.unit})` : '';
  const rows = data.times
    .map((_, index) => ({ time: timeName(data, index), values: series.map((one) => one.values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .map(({ time, values }) => [time, ...values.map((value) => (value === null ? '–' : formatNumber(value)))]);
  return {
    columns: [data.per === 'day' ? 'Day' : 'Hour', ...series.map((one) => one.name + unit)],
    rows: rows.reverse(),
  };
}

/** The name of a day or hour in tooltips and tables: `2026-11-21`, and `2026-11-22 (until 10:03)` when it is not over. */
export function timeName({ times, until }: TimeData, index: number): string {
  const time = times[index] ?? '';
  return until !== undefined && index === times.length - 1 ? `${time} (until ${until})` : time;
}

/** A one-sentence summary for screen readers. */
export function summaryOf(title: string, data: ChartData): string {
  if (isEmptyChart(data)) return `${title}: no data available.`;
  if (data.kind === 'doughnut')
    return `${title}: ${data.slices.map((slice) => `${slice.label} ${slice.value}`).join(', ')}.`;
  const { columns, rows } = tableOf(data);
  const latest = rows[0] ?? [];
  const figures = columns.slice(1).map((name, index) => `${name} ${latest[index + 1]}`);
  return `${title}, ${data.times.length} ${data.per}s. Latest, ${latest[0]}: ${figures.join(', ')}.`;
}

export function formatNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

function heatmapSeries({ categories, counts }: HeatmapData): Series[] {
  return categories.map((name, index) => ({ name, values: counts[index] ?? [] }));
}
