import type { ChartConfiguration, ChartDataset, ScaleOptionsByType } from 'chart.js';
import type { BarData, ChartData, DoughnutData, HeatmapData, LineData } from './chart-data.ts';

/** Colours that the canvas cannot read from the style sheet. */
export interface ChartColors {
  readonly text: string;
  readonly grid: string;
  readonly surface: string;
  readonly line: string;
  /** Lowest and highest colour of a heatmap, as red, green, blue. */
  readonly cold: readonly [number, number, number];
  readonly hot: readonly [number, number, number];
}

export const chartColors: Record<'light' | 'dark', ChartColors> = {
  light: {
    text: '#5c6770',
    grid: '#e9edf0',
    surface: '#ffffff',
    line: '#2196f3',
    cold: [227, 242, 253],
    hot: [33, 150, 243],
  },
  dark: {
    text: '#99a4ac',
    grid: '#2a3238',
    surface: '#1b2126',
    line: '#42a5f5',
    cold: [24, 52, 74],
    hot: [90, 190, 255],
  },
};

/** Default series colours, in order. Green is reserved for success. */
const palette = [
  '#ff5722',
  '#ffc107',
  '#9c27b0',
  '#3f51b5',
  '#00bcd4',
  '#e91e63',
  '#795548',
  '#ff9800',
  '#607d8b',
  '#673ab7',
];

/** The chart.js configuration of a chart. */
export function configOf(data: ChartData, colors: ChartColors): ChartConfiguration {
  if (data.kind === 'doughnut') return doughnut(data, colors);
  if (data.kind === 'heatmap') return heatmap(data, colors);
  return data.kind === 'line' ? lines(data, colors) : stackedBars(data, colors);
}

function lines({ per, times, series, unit, fromZero }: LineData, colors: ChartColors): ChartConfiguration {
  const datasets = series.map((one): ChartDataset<'line'> => {
    const color = one.color ?? colors.line;
    return {
      label: one.name,
      data: [...one.values],
      borderColor: color,
      backgroundColor: color,
      borderWidth: 1.5,
      pointRadius: times.length > mostWithDots ? 1 : 2,
      pointHoverRadius: 4,
    };
  });
  const tooltip = {
    callbacks: { label: (item: { formattedValue: string }) => `${item.formattedValue}${unit ? ` ${unit}` : ''}` },
  };
  return {
    type: 'line',
    data: { labels: [...times], datasets },
    options: {
      ...shared(colors),
      interaction: { mode: 'index', intersect: false },
      plugins: { legend: { display: false }, tooltip },
      scales: { x: timeAxis(colors, per, times), y: countAxis(colors, fromZero, unit) },
    },
  } as ChartConfiguration;
}

function stackedBars({ per, times, series }: BarData, colors: ChartColors): ChartConfiguration {
  const datasets = series.map(
    (one, index): ChartDataset<'bar'> => ({
      label: one.name,
      data: [...one.values],
      backgroundColor: one.color ?? palette[index % palette.length] ?? colors.line,
      borderColor: colors.surface,
      borderWidth: { top: 1 },
    }),
  );
  return {
    type: 'bar',
    data: { labels: [...times], datasets },
    options: {
      ...shared(colors),
      interaction: { mode: 'index', intersect: false },
      plugins: { legend: legend(colors), tooltip: { filter: (item: { raw: unknown }) => item.raw !== 0 } },
      scales: {
        x: { ...timeAxis(colors, per, times), stacked: true },
        y: { ...countAxis(colors, true), stacked: true },
      },
    },
  } as ChartConfiguration;
}

function heatmap({ per, times, categories, counts }: HeatmapData, colors: ChartColors): ChartConfiguration {
  const cells = counts.flatMap((row, category) =>
    row.flatMap((count, time) => (count > 0 ? [{ x: times[time], y: categories[category], v: count }] : [])),
  );
  const largest = Math.max(...cells.map((cell) => cell.v));
  const dataset = {
    label: 'Count',
    data: cells,
    borderRadius: 2,
    backgroundColor: ({ raw }: { raw?: { v: number } }) => shade(raw?.v ?? 0, 0, largest, colors),
    width: ({ chart }: CellContext) => Math.max(1, (chart.chartArea?.width ?? 0) / times.length - 1),
    height: ({ chart }: CellContext) => Math.max(1, (chart.chartArea?.height ?? 0) / categories.length - 1),
  };
  const title = (items: { raw: unknown }[]) => items.map(({ raw }) => (isCell(raw) ? `${raw.x}, ${raw.y}` : ''));
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

function doughnut({ slices }: DoughnutData, colors: ChartColors): ChartConfiguration {
  return {
    type: 'doughnut',
    data: {
      labels: slices.map((slice) => slice.label),
      datasets: [
        {
          data: slices.map((slice) => slice.value),
          backgroundColor: slices.map((slice) => slice.color),
          borderColor: colors.surface,
          borderWidth: 2,
        },
      ],
    },
    options: { ...shared(colors), cutout: '70%', plugins: { legend: { display: false } } },
  } as ChartConfiguration;
}

interface CellContext {
  chart: { chartArea?: { width: number; height: number } };
}

function isCell(raw: unknown): raw is { x: string; y: string; v: number } {
  return typeof raw === 'object' && raw !== null && 'v' in raw;
}

/** The colour of a count, linear between the lowest and the highest count. */
export function shade(count: number, fewest: number, most: number, { cold, hot }: ChartColors): string {
  const share = most === fewest ? 1 : (count - fewest) / (most - fewest);
  const mixed = cold.map((from, index) => Math.round(from + share * ((hot[index] ?? from) - from)));
  return `rgb(${mixed.join(', ')})`;
}

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
