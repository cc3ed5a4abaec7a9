import type { Box } from './cells.ts';
import { type Feature, feature } from './geojson.ts';

/** Degrees between two lines. */
const distances = [10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

/** Lines of equal longitude and latitude at round degrees within the box, about five across, each with a label. */
export function graticule({ west, south, east, north }: Box): Feature[] {
  const wide = Math.max(east - west, north - south);
  const apart = distances.findLast((distance) => wide / distance <= 9) ?? distances[0]!;
  const decimals = Math.max(0, Math.ceil(-Math.log10(apart) - 1e-9));
  const name = (degrees: number, [plus, minus]: readonly [string, string]) =>
    `${Math.abs(degrees).toFixed(decimals)}° ${degrees < 0 ? minus : plus}`;
  const upright = marks(west, east, apart).map((longitude) =>
    line([longitude, south], [longitude, north], name(((longitude + 540) % 360) - 180, ['E', 'W'])),
  );
  const level = marks(south, north, apart).map((latitude) =>
    line([west, latitude], [east, latitude], name(latitude, ['N', 'S'])),
  );
  return [...upright, ...level];
}

function marks(from: number, to: number, apart: number): number[] {
  const first = Math.ceil(from / apart);
  return Array.from({ length: Math.max(0, Math.floor(to / apart) - first + 1) }, (_, index) => (first + index) * apart);
}

function line(from: [number, number], to: [number, number], name: string): Feature {
  return feature({ type: 'LineString', coordinates: [from, to] }, { name });
}
