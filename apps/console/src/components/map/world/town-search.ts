import type { Box } from './cells.ts';
import type { Town } from './world-data.ts';

interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** The smallest rank that is shown, by zoom. */
export const ranks: readonly (readonly [belowZoom: number, rank: number])[] = [
  [3, 6],
  [4.5, 5],
  [6, 4],
  [7.5, 3],
  [9, 2],
  [10, 1],
  [Number.POSITIVE_INFINITY, 0],
];

/** The towns within the box that are large enough for the zoom. */
export function townsIn(towns: readonly Town[], { west, south, east, north }: Box, zoom: number): Town[] {
  const [, least] = ranks.find(([below]) => zoom < below)!;
  return towns.filter(({ longitude, latitude, rank }) => {
    if (rank < least || latitude < south || latitude > north) return false;
    return [longitude, longitude - 360, longitude + 360].some((one) => one >= west && one <= east);
  });
}

const earthRadiusKm = 6371;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Distance over ground, on a sphere. */
export function distanceKm(from: Coordinates, to: Coordinates): number {
  const [south, north] = [radians(from.latitude), radians(to.latitude)];
  const [high, wide] = [north - south, radians(to.longitude - from.longitude)];
  const half = Math.sin(high / 2) ** 2 + Math.cos(south) * Math.cos(north) * Math.sin(wide / 2) ** 2;
  return 2 * earthRadiusKm * Math.asin(Math.sqrt(half));
}

const winds = ['north', 'north-east', 'east', 'south-east', 'south', 'south-west', 'west', 'north-west'];

function windOf(from: Coordinates, to: Coordinates): string {
  const east = (((to.longitude - from.longitude + 540) % 360) - 180) * Math.cos(radians(from.latitude));
  const angle = Math.atan2(east, to.latitude - from.latitude);
  return winds[Math.round((angle / (2 * Math.PI)) * winds.length + winds.length) % winds.length]!;
}

/** The nearest town and the direction from it: `Zeist, 4 km east`. */
export function nearestTown(towns: readonly Town[], from: Coordinates): string | undefined {
  let [nearest, least]: [Town | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const town of towns) {
    const km = distanceKm(from, town);
    if (km < least) [nearest, least] = [town, km];
  }
  if (!nearest) return undefined;
  if (least < 1) return nearest.name;
  return `${nearest.name}, ${least < 10 ? least.toFixed(1) : Math.round(least)} km ${windOf(from, nearest)}`;
}
