import { useComputedColorScheme } from '@mantine/core';
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { MatrixController, MatrixElement } from 'chartjs-chart-matrix';
import { useEffect, useRef } from 'react';
import { textFonts } from '../../theme/theme.ts';
import { chartColors, configOf } from './chart-config.ts';
import type { TimeData } from './chart-data.ts';

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  MatrixController,
  MatrixElement,
  PointElement,
  Tooltip,
);

Object.assign(Chart.defaults.font, { family: textFonts, size: 12 });

/** The chart itself. It imports chart.js: load it lazily. */
export function ChartCanvas({ data, label }: { data: TimeData; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    if (!canvas.current) return;
    // Rendered by the CPU: for a small static picture, compiling shaders on the GPU takes longer.
    canvas.current.getContext('2d', { willReadFrequently: true });
    const chart = new Chart(canvas.current, configOf(data, chartColors[scheme]));
    return () => chart.destroy();
  }, [data, scheme]);
  return <canvas ref={canvas} role="img" aria-label={label} />;
}
