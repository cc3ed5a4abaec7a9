/** Locates a device by arrival times at gateways: the differences in distance are light travel times. */
import type { Estimate } from './by-level.ts';
import { type Coordinates, metresBetween, type Plane, type Point } from './plane.ts';

export interface Timed {
  position: Coordinates;
  /** The distance that light travelled until the arrival, in metres, from any common origin. */
  arrival: number;
}

/** The error of a gateway's fine timestamp, with echoes: 100 ns. */
const timingError = 30;
const most = { rounds: 50, step: 10_000 };
const settled = 0.1;

/**
 * The point that fits all arrivals best (least squares, by Gauss and Newton with Levenberg's damping), searched from
 * `start`. Null when there is none: the clocks are wrong, or the gateways are in one line with it.
 */
export function estimateByTime(timed: readonly Timed[], plane: Plane, start: Point, altitude: number): Estimate | null {
  const points = timed.map(({ position }) => plane.pointOf(position));
  const first = timed[0]!.arrival;

  /** The residual at each gateway, with the common start time that fits best. */
  function residuals(east: number, north: number): { ways: number[]; left: number[]; cost: number } {
    const here = plane.placeOf({ east, north }, altitude);
    const ways = timed.map(({ position }) => metresBetween(position, here));
    const raw = timed.map(({ arrival }, at) => arrival - first - ways[at]!);
    const mean = raw.reduce((sum, one) => sum + one, 0) / raw.length;
    const left = raw.map((one) => one - mean);
    return { ways, left, cost: left.reduce((sum, one) => sum + one * one, 0) };
  }

  /** Sums over the gateways of the derivatives of their distances towards east and north, without the common part. */
  function slopes(east: number, north: number, { ways, left }: { ways: number[]; left: number[] }) {
    const grow = points.map(
      (point, at) => [(east - point.east) / ways[at]!, (north - point.north) / ways[at]!] as const,
    );
    const mean = [0, 1].map((axis) => grow.reduce((sum, one) => sum + one[axis as 0 | 1], 0) / grow.length);
    let [ee, en, nn, e, n] = [0, 0, 0, 0, 0];
    for (const [at, one] of grow.entries()) {
      const [de, dn] = [one[0] - mean[0]!, one[1] - mean[1]!];
      ee += de * de;
      en += de * dn;
      nn += dn * dn;
      e += de * left[at]!;
      n += dn * left[at]!;
    }
    return { ee, en, nn, e, n };
  }

  let { east, north } = start;
  let now = residuals(east, north);
  let damping = 1e-3;
  for (let round = 0; round < most.rounds; round += 1) {
    const { ee, en, nn, e, n } = slopes(east, north, now);
    const [a, b] = [ee * (1 + damping), nn * (1 + damping)];
    const determinant = a * b - en * en;
    if (!(determinant > 1e-9)) return null;
    const [stepEast, stepNorth] = [(b * e - en * n) / determinant, (a * n - en * e) / determinant];
    const length = Math.hypot(stepEast, stepNorth);
    const part = Math.min(1, most.step / length);
    const next = residuals(east + stepEast * part, north + stepNorth * part);
    if (next.cost > now.cost) {
      damping *= 10;
      if (length < settled || damping > 1e9) return accuracyAt();
      continue;
    }
    [east, north, now, damping] = [east + stepEast * part, north + stepNorth * part, next, damping / 10];
    if (length < settled) return accuracyAt();
  }
  return null;

  function accuracyAt(): Estimate | null {
    const { ee, en, nn } = slopes(east, north, now);
    const spare = timed.length - 3;
    const error = Math.max(timingError, spare > 0 ? Math.sqrt(now.cost / spare) : Math.sqrt(now.cost));
    const determinant = ee * nn - en * en;
    if (!(determinant > 1e-6)) return null;
    return { east, north, accuracy: error * Math.sqrt((ee + nn) / determinant) };
  }
}
