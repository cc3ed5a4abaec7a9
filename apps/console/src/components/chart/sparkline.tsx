import { useId } from 'react';
import classes from './sparkline.module.css';

interface SparklineProps {
  /** What the bars count; read out with the total: `Gateway activity`. */
  label: string;
  values: readonly number[];
  /** The label of each bar. */
  of?: 'days' | 'hours';
}

const width = 380;
const height = 23;

/** The width of a stripe and of the space after it. */
const hatch = 4;

/**
 * Small bars without axes, for a table cell. A day with any count has a visible bar. The last one is the current day or
 * hour: it is hatched, because it is not over.
 */
export function Sparkline({ label, values, of = 'days' }: SparklineProps) {
  const largest = Math.max(...values, 0);
  const total = values.reduce((sum, value) => sum + value, 0);
  const pattern = useId();
  const step = width / Math.max(values.length, 1);
  const drawn = values.map((value, index) => bar(value, index, step, largest));
  return (
    <svg
      className={classes.spark}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${total} in ${values.length} ${of}`}
    >
      <path className={classes.base} d={`M0 ${height - 0.5}H${width}`} />
      <pattern id={pattern} width={hatch} height={hatch} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className={classes.bars} width={hatch / 2} height={hatch} />
      </pattern>
      <path className={classes.bars} d={drawn.slice(0, -1).join('')} />
      <path className={classes.open} d={drawn.at(-1)} fill={`url(#${pattern})`} />
    </svg>
  );
}

function bar(value: number, index: number, step: number, largest: number): string {
  if (value <= 0) return '';
  const size = Math.max(2, (value / largest) * height);
  return `M${(index * step + 1).toFixed(1)} ${height}v${(-size).toFixed(1)}h${(step - 2).toFixed(1)}v${size.toFixed(1)}z`;
}
