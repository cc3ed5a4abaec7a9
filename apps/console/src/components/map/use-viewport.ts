import type { Map as MapView } from 'maplibre-gl';
import { useEffect } from 'react';
import { type Camera, cameraOver, edgesOf, nearZoom, placeZoom } from './camera.ts';
import type { MapPoint } from './map-point.ts';

interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/**
 * Puts the map over the centre, or over all points, or where somebody moved its first picture. Moves again only when the
 * place or the points' edges change.
 */
export function useViewport(
  map: MapView | undefined,
  points: readonly MapPoint[],
  center: Coordinates | undefined,
  hasTiles: boolean,
  takeCamera?: () => Camera | undefined,
) {
  const closest = center ? placeZoom : hasTiles ? nearZoom.tiles : nearZoom.builtIn;
  const { west, south, east, north } = edgesOf(center ? [center] : points);
  useEffect(() => {
    if (!map || west > east) return;
    const { clientWidth: width, clientHeight: height } = map.getContainer();
    const wanted = takeCamera?.() ?? cameraOver({ west, south, east, north }, { width, height }, closest);
    map.jumpTo({ center: [wanted.longitude, wanted.latitude], zoom: wanted.zoom });
  }, [map, west, south, east, north, closest, takeCamera]);
}
