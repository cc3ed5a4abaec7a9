import type { Map as MapView } from 'maplibre-gl';
import { useCallback, useEffect, useState } from 'react';
import { type Camera, cameraOver, edgesOf, nearZoom, placeZoom, type Size } from './camera.ts';
import type { MapPoint } from './map-point.ts';

interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

interface Wanted {
  /** All points that the map fits. */
  readonly points: readonly MapPoint[];
  readonly center: Coordinates | undefined;
  /** Undefined until that is known. */
  readonly hasTiles: boolean | undefined;
}

/** The view of a map of that size: the centre or all points. Undefined while there are none. */
export type CameraFor = (size: Size) => Camera | undefined;

/** The camera of the points. Tiles that turn out to be unreachable do not change it. */
export function useCamera({ points, center, hasTiles }: Wanted): CameraFor {
  const [hadTiles, setHadTiles] = useState(hasTiles);
  if (hadTiles === undefined && hasTiles !== undefined) setHadTiles(hasTiles);
  const isKnown = center !== undefined || hadTiles !== undefined;
  const closest = center ? placeZoom : hadTiles ? nearZoom.tiles : nearZoom.builtIn;
  const { west, south, east, north } = edgesOf(center ? [center] : points);
  return useCallback(
    (size) => (!isKnown || west > east ? undefined : cameraOver({ west, south, east, north }, size, closest)),
    [west, south, east, north, closest, isKnown],
  );
}

/**
 * Moves the map to its camera, or to where the user moved the preview. Moves again only when the centre or the bounds of
 * the points change.
 */
export function useViewport(map: MapView | undefined, cameraFor: CameraFor, takeCamera: () => Camera | undefined) {
  useEffect(() => {
    if (!map) return;
    const { clientWidth: width, clientHeight: height } = map.getContainer();
    const wanted = takeCamera() ?? cameraFor({ width, height });
    if (wanted) map.jumpTo({ center: [wanted.longitude, wanted.latitude], zoom: wanted.zoom });
  }, [map, cameraFor, takeCamera]);
}
