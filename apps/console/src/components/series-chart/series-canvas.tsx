import { useComputedColorScheme } from '@mantine/core';
import {
  BarController,
  BarElement,
  Chart,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
} from 'chart.js';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { textFonts } from '../../theme/theme.ts';
import { chartColors } from '../chart/chart-config.ts';
import type { Crosshair } from './crosshair.ts';
import { type PixelRange, seriesConfig } from './series-config.ts';
import type { SeriesChartData } from './series-data.ts';

Chart.register(BarController, BarElement, Filler, LinearScale, LineController, LineElement, PointElement);
Object.assign(Chart.defaults.font, { family: textFonts, size: 12 });

interface Props {
  data: SeriesChartData;
  label: string;
  crosshair: Crosshair;
  onZoom: (from: number, to: number) => void;
  onReset: () => void;
}

/** A shorter drag is a click. */
const leastDrag = 6;
/** How many steps of the keyboard cross a chart. */
const keySteps = 60;

/** The drawing of a chart. It imports chart.js: load it lazily. */
export function SeriesCanvas({ data, label, crosshair, onZoom, onReset }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<Chart>(undefined);
  const drag = useRef<{ begin: number; now: number }>(undefined);
  const scheme = useComputedColorScheme('light');

  const selection = (): PixelRange | undefined => {
    const { begin, now } = drag.current ?? { begin: 0, now: 0 };
    return Math.abs(now - begin) < leastDrag ? undefined : { from: Math.min(begin, now), to: Math.max(begin, now) };
  };
  useEffect(() => {
    if (!canvas.current) return;
    canvas.current.getContext('2d', { willReadFrequently: true });
    const drawn = new Chart(canvas.current, seriesConfig(data, chartColors[scheme], { crosshair, selection }));
    chart.current = drawn;
    const unwatch = crosshair.watch(() => drawn.draw());
    return () => {
      unwatch();
      drawn.destroy();
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `selection` reads a ref
  }, [data, scheme, crosshair]);

  const timeAt = (x: number) => {
    const time = chart.current?.scales['x']?.getValueForPixel(x);
    return time === undefined ? undefined : Math.min(data.to, Math.max(data.from, time));
  };
  function onPointerMove({ nativeEvent }: PointerEvent) {
    if (drag.current) drag.current.now = nativeEvent.offsetX;
    crosshair.move(timeAt(nativeEvent.offsetX));
  }
  function onPointerDown({ nativeEvent, currentTarget, pointerId, button }: PointerEvent) {
    if (button !== 0) return;
    currentTarget.setPointerCapture(pointerId);
    drag.current = { begin: nativeEvent.offsetX, now: nativeEvent.offsetX };
  }
  function onPointerUp() {
    const selected = selection();
    drag.current = undefined;
    if (selected) {
      const [from, to] = [timeAt(selected.from), timeAt(selected.to)];
      if (from !== undefined && to !== undefined) onZoom(Math.round(from), Math.round(to));
    }
    chart.current?.draw();
  }
  const onKeyDown = (event: KeyboardEvent) => handleKey(event, { data, crosshair, onZoom, onReset });

  return (
    // The picture takes the keyboard as well.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <canvas
      ref={canvas}
      role="img"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onPointerMove={onPointerMove}
      onPointerDown={onPointerDown}
      onPointerUp={onPointerUp}
      onPointerCancel={() => {
        drag.current = undefined;
      }}
      onPointerLeave={() => crosshair.move(undefined)}
      onDoubleClick={onReset}
      onKeyDown={onKeyDown}
      onBlur={() => crosshair.move(undefined)}
    />
  );
}

/** Arrows move the cross-hair, + zooms in, - and Escape return. */
function handleKey(event: KeyboardEvent, { data, crosshair, onZoom, onReset }: Omit<Props, 'label'>): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by !== undefined) {
    const step = (data.to - data.from) / keySteps;
    const at = (crosshair.at() ?? (by > 0 ? data.from : data.to)) + by * step;
    crosshair.move(Math.min(data.to, Math.max(data.from, at)));
  } else if (event.key === '+') {
    const at = crosshair.at() ?? (data.from + data.to) / 2;
    const quarter = (data.to - data.from) / 4;
    onZoom(Math.round(at - quarter), Math.round(at + quarter));
  } else if (event.key === '-' || event.key === 'Escape') onReset();
  else return;
  event.preventDefault();
}
