import type { MapPoint, PointTone } from './map-point.ts';

/** Points within this many pixels form a cluster, up to the zoom from which each is drawn alone. */
export const clustering = { radius: 50, maxZoom: 15 };
/** Circle radius by the least number of points; the first is that of a single point. */
export const radii: readonly (readonly [from: number, pixels: number])[] = [
  [0, 8],
  [1, 14],
  [10, 18],
  [100, 23],
  [1000, 28],
];
export const haloPixels = 2;
export const countPixels = 12;
/** The worst tone of several points: one offline gateway makes a cluster red, and only devices make it plain. */
export const worstFirst = ['inactive', 'active', 'never'] as const;

const tones: readonly PointTone[] = ['active', 'inactive', 'never', 'plain'];

/**
 * One feature for all points of a tone: MapLibre copies each feature to its worker, and ten thousand of them block the
 * page for a quarter of a second.
 */
export function collectionOf(points: readonly MapPoint[]) {
  const features = tones.map((tone) => {
    const alike = points.filter((point) => (point.tone ?? 'plain') === tone);
    const coordinates = alike.map(({ longitude, latitude }) => [longitude, latitude]);
    return {
      type: 'Feature' as const,
      properties: { tone },
      geometry: { type: 'MultiPoint' as const, coordinates },
    };
  });
  return { type: 'FeatureCollection' as const, features };
}

type Coordinates = Pick<MapPoint, 'longitude' | 'latitude'>;

/** The point at a drawn circle, whose position is rounded to the grid of its tile. */
export function nearestTo({ longitude, latitude }: Coordinates, points: readonly MapPoint[]): MapPoint | undefined {
  const distanceTo = (point: Coordinates) => Math.hypot(point.longitude - longitude, point.latitude - latitude);
  return points.reduce<MapPoint | undefined>(
    (best, one) => (best === undefined || distanceTo(one) < distanceTo(best) ? one : best),
    undefined,
  );
}
