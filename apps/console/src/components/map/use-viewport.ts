import type { Map as MapView } from 'maplibre-gl';
import { useEffect } from 'react';
import type { MapPoint } from './map-point.ts';

/** Streets are in sight at 15, if there are tiles that have streets; the built-in world ends at countries. */
const nearZoom = { tiles: 15, builtIn: 5 };

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Puts the map over the centre, or over all points. Moves again only when the place or the points' edges change. */
export function useViewport(
  map: MapView | undefined,
  points: readonly MapPoint[],
  center: Place | undefined,
  hasTiles: boolean,
) {
  const closest = hasTiles ? nearZoom.tiles : nearZoom.builtIn;
  const { west, south, east, north } = edgesOf(center ? [center] : points);
  useEffect(() => {
    if (!map || west > east) return;
    if (west === east && south === north)
      map.jumpTo({ center: [west, south], zoom: west === 0 && south === 0 ? 1 : closest });
    else map.fitBounds([west, south, east, north], { padding: 56, maxZoom: nearZoom.tiles, animate: false });
  }, [map, west, south, east, north, closest]);
}

/** West is east of east when there is no place. */
function edgesOf(places: readonly Place[]) {
  const edges = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  for (const { latitude, longitude } of places) {
    edges.west = Math.min(edges.west, longitude);
    edges.east = Math.max(edges.east, longitude);
    edges.south = Math.min(edges.south, latitude);
    edges.north = Math.max(edges.north, latitude);
  }
  return edges;
}
