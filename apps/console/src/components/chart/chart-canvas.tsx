import { useComputedColorScheme } from '@mantine/core';
import {
  ArcElement,
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  DoughnutController,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { MatrixController, MatrixElement } from 'chartjs-chart-matrix';
import { useEffect, useRef } from 'react';
import { chartColors, configOf } from './chart-config.ts';
import type { ChartData } from './chart-data.ts';

Chart.register(
  ArcElement,
  BarController,
  BarElement,
  CategoryScale,
  DoughnutController,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  MatrixController,
  MatrixElement,
  PointElement,
  Tooltip,
);

/** The chart itself. It imports chart.js: load it lazily. */
export function ChartCanvas({ data, label }: { data: ChartData; label: string }) {
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
