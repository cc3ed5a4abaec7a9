import type { Map as MapView } from 'maplibre-gl';
import { useEffect } from 'react';
import type { MapPoint } from './map-point.ts';

/** The zoom of a place that the map is about: 15 where tiles of 256 pixels are counted, one less where MapLibre counts. */
const placeZoom = 14;
/** How near points are looked at: streets are in sight then, if there are tiles; the built-in world has towns. */
const nearZoom = { tiles: placeZoom, builtIn: 10 };

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
  const closest = center ? placeZoom : hasTiles ? nearZoom.tiles : nearZoom.builtIn;
  const { west, south, east, north } = edgesOf(center ? [center] : points);
  useEffect(() => {
    if (!map || west > east) return;
    if (west === east && south === north)
      map.jumpTo({ center: [west, south], zoom: west === 0 && south === 0 ? 1 : closest });
    else map.fitBounds([west, south, east, north], { padding: 56, maxZoom: closest, animate: false });
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
