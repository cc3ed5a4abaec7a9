import { Supercluster } from '@maplibre/geojson-vt';
import type { Camera, Size } from './camera.ts';
import { inSight, seenAt } from './camera.ts';
import { clustering, collectionOf, nearestTo, radii, worstFirst } from './clusters.ts';
import type { MapPoint, PointTone } from './map-point.ts';

/** A circle on the map: a point, or a cluster with the number of its points. */
export interface Circle {
  readonly longitude: number;
  readonly latitude: number;
  /** Pixels from the left and the top, and the radius without the halo. */
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly tone: PointTone;
  /** Empty for a single point. */
  readonly count: string;
  /** What a click does: opens the point, or zooms in until the cluster splits. */
  readonly opens: () => { readonly point: MapPoint | undefined } | { readonly zoom: number };
}

interface Counted {
  readonly tone?: PointTone;
  readonly cluster_id?: number;
  readonly point_count?: number;
  readonly point_count_abbreviated?: number | string;
  readonly inactive?: number;
  readonly active?: number;
  readonly never?: number;
}

/** Computes the circles that MapLibre's worker will draw, with its clustering algorithm but without waiting for it. */
export function clustersIn(points: readonly MapPoint[]): (camera: Camera, size: Size) => Circle[] {
  const { radius, maxZoom } = clustering;
  const index = new Supercluster({
    radius,
    maxZoom,
    extent: 512,
    map: ({ tone }: { tone?: PointTone }) => Object.fromEntries(worstFirst.map((one) => [one, tone === one ? 1 : 0])),
    reduce: (sum, one) => {
      for (const tone of worstFirst) sum[tone] = Number(sum[tone]) + Number(one[tone]);
    },
  });
  index.load(collectionOf(points).features);
  return (camera, size) => {
    const { west, south, east, north } = inSight(camera, size);
    return index
      .getClusters([west, south, east, north], Math.floor(camera.zoom))
      .flatMap(({ geometry, properties }) => {
        const [longitude = 0, latitude = 0] = geometry.coordinates as number[];
        const counted = properties as Counted;
        const position = { longitude, latitude };
        const count = counted.point_count ?? 0;
        const point = count === 0 ? nearestTo(position, points) : undefined;
        if (count === 0 && !point) return [];
        return {
          ...position,
          ...seenAt(camera, size, position),
          radius: radii.findLast(([from]) => count >= from)![1],
          tone: toneOf(counted),
          count: count === 0 ? '' : String(counted.point_count_abbreviated),
          opens: () =>
            count === 0
              ? { point: nearestTo(position, points) }
              : { zoom: index.getClusterExpansionZoom(counted.cluster_id!) },
        };
      });
  };
}

function toneOf(counted: Counted): PointTone {
  const worst = worstFirst.find((tone) => counted.tone === tone || (counted[tone] ?? 0) > 0);
  return worst ?? 'plain';
}
