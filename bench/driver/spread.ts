/** Percentiles of measured times, in the unit of the input; all 0 for an empty list. */
export interface Spread {
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

export function spreadOf(values: ArrayLike<number>): Spread {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
