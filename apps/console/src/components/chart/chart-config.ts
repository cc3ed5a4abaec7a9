import type { ChartConfiguration, ChartDataset, ScaleOptionsByType } from 'chart.js';
import { type ColorToken, colorOf, dataColors } from '../../theme/data-colors.ts';
import { type BarData, type HeatmapData, type LineData, type Series, type TimeData, timeName } from './chart-data.ts';
import { hatchOf } from './hatch.ts';

/** The colours of a chart in one colour scheme. */
export interface ChartColors {
  readonly scheme: 'light' | 'dark';
  readonly text: string;
  readonly grid: string;
  readonly surface: string;
}

export const chartColors: Record<'light' | 'dark', ChartColors> = {
  light: { scheme: 'light', text: '#5c6770', grid: '#e9edf0', surface: '#ffffff' },
  dark: { scheme: 'dark', text: '#99a4ac', grid: '#2a3238', surface: '#1b2126' },
};

/** Colours of series that have none, in order. Without the green, which would look like success among errors. */
const unnamed: readonly ColorToken[] = [2, 3, 6, 7, 5, 8, 1].map((place) => `--data-${place}` as const);
const lineColor: ColorToken = '--data-1';

/** The chart.js configuration of a chart. */
export function configOf(data: TimeData, colors: ChartColors): ChartConfiguration {
  if (data.kind === 'heatmap') return heatmap(data, colors);
  return data.kind === 'line' ? lines(data, colors) : stackedBars(data, colors);
}

function lines(data: LineData, colors: ChartColors): ChartConfiguration {
  const { per, times, series, unit, fromZero } = data;
  const datasets = series.flatMap((one) => seriesOf(data, one, colors));
  const label = (item: { formattedValue: string }) => `${item.formattedValue}${unit ? ` ${unit}` : ''}`;
  return {
    type: 'line',
    data: { labels: [...times], datasets },
    options: {
      ...shared(colors),
      interaction: { mode: 'index', intersect: false },
      plugins: { legend: { display: false }, tooltip: { callbacks: { title: titleOf(data), label } } },
      scales: { x: { ...timeAxis(colors, per, times), offset: fromZero }, y: countAxis(colors, fromZero, unit) },
    },
  } as ChartConfiguration;
}

/** A line. A count that is not complete is a hatched bar beside it, because the line would drop; a mean is dashed. */
function seriesOf(
  { times, until, fromZero }: LineData,
  { name, color = lineColor, values }: Series,
  colors: ChartColors,
) {
  const stroke = colorOf(color, colors.scheme);
  const last = times.length - 1;
  const isOpen = until !== undefined;
  const isBarLast = isOpen && fromZero;
  const line: ChartDataset<'line'> = {
    label: name,
    data: isBarLast ? values.map((value, index) => (index === last ? null : value)) : [...values],
    borderColor: stroke,
    backgroundColor: stroke,
    borderWidth: 1.5,
    pointRadius: times.length > mostWithDots ? 1 : 2,
    pointHoverRadius: 4,
    ...(isOpen && { segment: { borderDash: ({ p1DataIndex }) => (p1DataIndex === last ? [3, 3] : undefined) } }),
  };
  if (!isBarLast) return [line];
  const bar: ChartDataset<'bar'> = {
    type: 'bar',
    label: name,
    data: values.map((value, index) => (index === last ? value : null)),
    backgroundColor: ({ chart }) => hatchOf(chart.ctx, stroke, colors.surface),
    borderColor: stroke,
    borderWidth: 1,
    minBarLength: 2,
    maxBarThickness: 24,
  };
  return [line, bar];
}

function stackedBars(data: BarData, colors: ChartColors): ChartConfiguration {
  const { per, times, series, until } = data;
  const datasets = series.map((one, index): ChartDataset<'bar'> => {
    const color = colorOf(one.color ?? unnamed[index % unnamed.length] ?? lineColor, colors.scheme);
    return {
      label: one.name,
      data: [...one.values],
      backgroundColor: ({ chart, dataIndex }) =>
        until !== undefined && dataIndex === times.length - 1 ? hatchOf(chart.ctx, color, colors.surface) : color,
      borderColor: colors.surface,
      borderWidth: { top: 1 },
    };
  });
  const tooltip = { filter: (item: { raw: unknown }) => item.raw !== 0, callbacks: { title: titleOf(data) } };
  return {
    type: 'bar',
    data: { labels: [...times], datasets },
    options: {
      ...shared(colors),
      interaction: { mode: 'index', intersect: false },
      plugins: { legend: legend(colors), tooltip },
      scales: {
        x: { ...timeAxis(colors, per, times), stacked: true },
        y: { ...countAxis(colors, true), stacked: true },
      },
    },
  } as ChartConfiguration;
}

/** The title of a tooltip: the day or hour, and until when it was counted. */
function titleOf(data: TimeData) {
  return ([item]: readonly { dataIndex: number }[]) => (item ? timeName(data, item.dataIndex) : '');
}

function heatmap(data: HeatmapData, colors: ChartColors): ChartConfiguration {
  const { per, times, categories, counts, until } = data;
  const cells = counts.flatMap((row, category) =>
    row.flatMap((count, time) => (count > 0 ? [{ x: times[time], y: categories[category], v: count }] : [])),
  );
  const largest = Math.max(...cells.map((cell) => cell.v));
  const dataset = {
    label: 'Count',
    data: cells,
    borderRadius: 2,
    backgroundColor: ({ raw, chart }: CellContext) => {
      const color = shade(raw?.v ?? 0, 0, largest, colors);
      return until !== undefined && raw?.x === times.at(-1) ? hatchOf(chart.ctx, color, colors.surface) : color;
    },
    width: ({ chart }: CellContext) => Math.max(1, (chart.chartArea?.width ?? 0) / times.length - 1),
    height: ({ chart }: CellContext) => Math.max(1, (chart.chartArea?.height ?? 0) / categories.length - 1),
  };
  const title = (items: { raw: unknown }[]) =>
    items.map(({ raw }) => (isCell(raw) ? `${timeName(data, times.indexOf(raw.x))}, ${raw.y}` : ''));
  const label = ({ raw }: { raw: unknown }) => (isCell(raw) ? `Count: ${raw.v}` : '');
  return {
    type: 'matrix',
    data: { datasets: [dataset] },
    options: {
      ...shared(colors),
      plugins: { legend: { display: false }, tooltip: { displayColors: false, callbacks: { title, label } } },
      scales: {
        x: { ...timeAxis(colors, per, times), labels: [...times], offset: true, grid: { display: false } },
        y: {
          type: 'category',
          labels: [...categories],
          offset: true,
          grid: { display: false },
          border: { color: colors.grid },
          ticks: { color: colors.text },
        },
      },
    },
  } as unknown as ChartConfiguration;
}

interface CellContext {
  chart: { ctx: CanvasRenderingContext2D; chartArea?: { width: number; height: number } };
  raw?: { x: string; v: number };
}

function isCell(raw: unknown): raw is { x: string; y: string; v: number } {
  return typeof raw === 'object' && raw !== null && 'v' in raw;
}

/** The colour of a count, linear between the lowest and the highest count. */
export function shade(count: number, fewest: number, most: number, { scheme }: ChartColors): string {
  const share = most === fewest ? 1 : (count - fewest) / (most - fewest);
  const [cold, hot] = [channelsOf(dataColors[scheme].cold), channelsOf(dataColors[scheme].hot)];
  const mixed = cold.map((from, index) => Math.round(from + share * ((hot[index] ?? from) - from)));
  return `rgb(${mixed.join(', ')})`;
}

/** Red, green and blue of `#rrggbb`. */
const channelsOf = (color: string) => [1, 3, 5].map((from) => Number.parseInt(color.slice(from, from + 2), 16));

function shared(colors: ChartColors) {
  return { responsive: true, maintainAspectRatio: false, animation: false as const, color: colors.text };
}

function legend(colors: ChartColors) {
  return {
    display: true,
    position: 'bottom' as const,
    labels: { color: colors.text, boxWidth: 10, boxHeight: 10, padding: 12 },
  };
}

/** Hourly charts longer than this label only days. */
const mostHoursNamed = 48;
const mostWithDots = 60;

const monthDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Axis labels: `21 Nov` for `2026-11-21`, `14:00` for an hour, and `21 Nov` for midnight. */
export function timeLabel(time: string, per: 'day' | 'hour'): string {
  const [day = '', hour = ''] = time.split(' ');
  return per === 'hour' && hour !== '00:00' ? hour : monthDay.format(Date.parse(day));
}

function timeAxis(
  colors: ChartColors,
  per: 'day' | 'hour',
  times: readonly string[],
): Partial<ScaleOptionsByType<'category'>> {
  const isDays = per === 'hour' && times.length > mostHoursNamed;
  const ticks = {
    color: colors.text,
    maxRotation: 0,
    autoSkipPadding: 16,
    autoSkip: !isDays,
    callback(this: { getLabelForValue: (value: number) => string; chart: { width: number } }, value: number) {
      const time = this.getLabelForValue(value);
      const everyDay = this.chart.width > 450 || Math.floor(value / 24) % 2 === 0;
      return isDays && !(time.endsWith(' 00:00') && everyDay) ? null : timeLabel(time, per);
    },
  };
  return { type: 'category', grid: { display: false }, border: { color: colors.grid }, ticks } as unknown as Partial<
    ScaleOptionsByType<'category'>
  >;
}

/** An axis tick with as many decimals as are needed to tell it from the next one. */
export function tickLabel(value: number, [first, second]: readonly { value: number }[]): string {
  const apart = first && second ? Math.abs(second.value - first.value) : 1;
  const needed = [0, 1, 2, 3].find((decimals) => Math.abs(apart - Number(apart.toFixed(decimals))) < 1e-6);
  return value.toFixed(needed ?? 3);
}

function countAxis(colors: ChartColors, fromZero: boolean, unit?: string): object {
  const ticks = {
    color: colors.text,
    maxTicksLimit: 6,
    callback: (value: number, _index: number, all: readonly { value: number }[]) => tickLabel(value, all),
    ...(fromZero ? { precision: 0 } : {}),
  };
  return {
    beginAtZero: fromZero,
    grace: fromZero ? 0 : '10%',
    grid: { color: colors.grid },
    border: { display: false },
    ticks,
    ...(unit ? { title: { display: true, text: unit, color: colors.text } } : {}),
  };
}
