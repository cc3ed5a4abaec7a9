import type { Map as MapView } from 'maplibre-gl';
import { useEffect } from 'react';
import { type Camera, cameraOver, edgesOf, nearZoom, placeZoom } from './camera.ts';
import type { MapPoint } from './map-point.ts';

interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/**
 * Moves the map to the centre, or to all points, or to where the user moved the preview. Moves again only when the
 * centre or the bounds of the points change.
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
