import { LngLatBounds, type Map as MapView } from 'maplibre-gl';
import { useEffect } from 'react';
import type { MapPoint } from './map-point.ts';

/** Streets are in sight at 15, if there are tiles that have streets; the built-in world ends at countries. */
const nearZoom = { tiles: 15, builtIn: 5 };

/** Puts the map over the centre, or over all points. Moves again only when those change. */
export function useViewport(
  map: MapView | undefined,
  points: readonly MapPoint[],
  center: { latitude: number; longitude: number } | undefined,
  hasTiles: boolean,
) {
  const closest = hasTiles ? nearZoom.tiles : nearZoom.builtIn;
  const places = center ? [center] : points;
  const key = places.map((place) => `${place.latitude},${place.longitude}`).join(' ');
  useEffect(() => {
    if (!map || key === '') return;
    const corners = key.split(' ').map((place) => {
      const [latitude = 0, longitude = 0] = place.split(',').map(Number);
      return [longitude, latitude] as [number, number];
    });
    const [only] = corners;
    if (corners.length === 1 && only) map.jumpTo({ center: only, zoom: isNowhere(only) ? 1 : closest });
    else
      map.fitBounds(
        corners.reduce((bounds, corner) => bounds.extend(corner), new LngLatBounds()),
        { padding: 56, maxZoom: nearZoom.tiles, animate: false },
      );
  }, [map, key, closest]);
}

function isNowhere([longitude, latitude]: [number, number]): boolean {
  return longitude === 0 && latitude === 0;
}
