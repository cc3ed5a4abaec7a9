import { cellDegrees } from './world-data.ts';

/** Degrees. Across 180° east continues above it, or west below -180°. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The south-western corners of the cells that the box overlaps, each once. */
export function cellsIn({ west, south, east, north }: Box): [west: number, south: number][] {
  const columns = new Set(starts(west, Math.min(east, west + 360)).map((start) => wrap(start)));
  return [...columns].flatMap((column) => starts(south, north).map((row): [number, number] => [column, row]));
}

function starts(from: number, to: number): number[] {
  const first = Math.floor(from / cellDegrees);
  const count = Math.floor(to / cellDegrees) - first + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * cellDegrees);
}

const wrap = (degrees: number) => ((((degrees + 180) % 360) + 360) % 360) - 180;
