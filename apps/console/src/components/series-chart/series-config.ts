import type { Chart, ChartConfiguration, ChartDataset, Plugin, Scale } from 'chart.js';
import { colorOf } from '../../theme/data-colors.ts';
import { type ChartColors, tickLabel } from '../chart/chart-config.ts';
import type { Crosshair } from './crosshair.ts';
import { gapsOf, type SeriesChartData, type SeriesLine, tickText, timeTicks } from './series-data.ts';

/** The part of a chart that is selected by dragging, in pixels. */
export interface PixelRange {
  readonly from: number;
  readonly to: number;
}

interface Pointers {
  readonly crosshair: Crosshair;
  readonly selection: () => PixelRange | undefined;
}

const mostWithDots = 80;
const pixelsPerTick = 90;
/** Equal widths, so that the time axes of all charts are below each other. */
const [valueAxisWidth, sidePadding] = [52, 16];
const bandAlpha = '38';

/** The chart.js configuration of a chart of values over time. */
export function seriesConfig(data: SeriesChartData, colors: ChartColors, pointers: Pointers): ChartConfiguration {
  const datasets: ChartDataset[] =
    data.kind === 'bars'
      ? data.lines.map((line) => bars(line, colors))
      : data.lines.flatMap((line) => lines(line, data, colors));
  return {
    type: data.kind === 'bars' ? 'bar' : 'line',
    data: { datasets },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      parsing: false,
      normalized: true,
      layout: { autoPadding: false },
      events: [],
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
      scales: { x: timeAxis(data, colors), y: valueAxis(data, colors) },
    },
    plugins: [pointerPlugin(pointers, colors)],
  } as unknown as ChartConfiguration;
}

function bars({ points, color, stepMs }: SeriesLine, { scheme }: ChartColors): ChartDataset<'bar'> {
  return {
    data: points.map(({ at, mean }) => ({ x: at + stepMs / 2, y: mean })) as never,
    backgroundColor: colorOf(color, scheme),
    barThickness: 'flex',
    maxBarThickness: 16,
    categoryPercentage: 1,
    barPercentage: 0.85,
  };
}

/** The means, and behind them the band from minimum to maximum where points have several values. */
function lines(
  line: SeriesLine,
  { kind, lines: all }: SeriesChartData,
  { scheme }: ChartColors,
): ChartDataset<'line'>[] {
  const { points, stepMs } = line;
  const color = colorOf(line.color, scheme);
  const gaps = gapsOf(points, stepMs);
  const drawn = (valueOf: (point: SeriesLine['points'][number]) => number) =>
    points.flatMap((point, index) => {
      const x = point.at + stepMs / 2;
      const own = { x, y: valueOf(point) };
      return gaps.has(index) ? [{ x, y: null }, own] : [own];
    }) as never;
  const alone = (index: number) =>
    (index === 0 || gaps.has(index)) && (index === points.length - 1 || gaps.has(index + 1));
  const hasAlone = points.some((_, index) => alone(index));
  const mean: ChartDataset<'line'> = {
    data: drawn((point) => point.mean),
    borderColor: color,
    backgroundColor: color,
    borderWidth: 1.5,
    pointRadius: points.length <= mostWithDots ? 2 : hasAlone ? 1 : 0,
    stepped: kind === 'step' ? 'before' : false,
  };
  const hasBand = kind === 'line' && all.length === 1 && points.some(({ min, max }) => max > min);
  if (!hasBand) return [mean];
  const edge = (
    valueOf: (point: SeriesLine['points'][number]) => number,
    fill: string | false,
  ): ChartDataset<'line'> => ({
    data: drawn(valueOf),
    borderWidth: 0,
    pointRadius: 0,
    backgroundColor: color + bandAlpha,
    fill,
  });
  return [mean, edge(({ max }) => max, '+1'), edge(({ min }) => min, false)];
}

function timeAxis({ kind, from, to }: SeriesChartData, colors: ChartColors): object {
  return {
    type: 'linear',
    stacked: kind === 'bars',
    offset: false,
    min: from,
    max: to,
    grid: { color: colors.grid, offset: false },
    border: { color: colors.grid },
    afterBuildTicks: (axis: Scale) => {
      axis.ticks = timeTicks(from, to, Math.max(2, axis.chart.width / pixelsPerTick)).map((value) => ({ value }));
    },
    afterFit: (axis: Scale) => Object.assign(axis, { paddingLeft: 0, paddingRight: sidePadding }),
    ticks: { color: colors.text, maxRotation: 0, autoSkip: false, callback: (value: number) => tickText(value) },
  };
}

function valueAxis({ kind, lines: all }: SeriesChartData, colors: ChartColors): object {
  const isFlat = new Set(all.flatMap(({ points }) => points.flatMap(({ min, max }) => [min, max]))).size < 2;
  return {
    beginAtZero: kind === 'bars',
    stacked: kind === 'bars',
    grace: kind === 'bars' ? 0 : '8%',
    ...(isFlat && kind !== 'bars' && { offset: true }),
    grid: { color: colors.grid },
    border: { display: false },
    afterFit: (axis: Scale) => {
      axis.width = valueAxisWidth;
    },
    ticks: {
      color: colors.text,
      maxTicksLimit: 5,
      ...(kind !== 'line' && { precision: 0 }),
      callback: (value: number, _index: number, ticks: readonly { value: number }[]) => tickLabel(value, ticks),
    },
  };
}

/** Draws the cross-hair and the selection. */
function pointerPlugin({ crosshair, selection }: Pointers, colors: ChartColors): Plugin {
  return {
    id: 'pointers',
    afterDraw: ({ ctx, chartArea, scales }: Chart) => {
      const { top, bottom, left, right } = chartArea;
      const at = crosshair.at();
      const x = at === undefined ? undefined : scales['x']?.getPixelForValue(at);
      if (x !== undefined && x >= left && x <= right) {
        ctx.save();
        ctx.strokeStyle = colors.text;
        ctx.lineWidth = 1;
        ctx.beginPath();
        ctx.moveTo(Math.round(x) + 0.5, top);
        ctx.lineTo(Math.round(x) + 0.5, bottom);
        ctx.stroke();
        ctx.restore();
      }
      const selected = selection();
      if (selected) {
        const [begin, end] = [Math.max(left, selected.from), Math.min(right, selected.to)];
        ctx.save();
        ctx.fillStyle = `${colors.text}33`;
        ctx.fillRect(begin, top, end - begin, bottom - top);
        ctx.restore();
      }
    },
  };
}
