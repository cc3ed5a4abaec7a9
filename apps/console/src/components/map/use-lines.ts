import type { Map as MapView } from 'maplibre-gl';
import { useEffect } from 'react';
import type { MapLine } from './map-point.ts';

const noLines: readonly MapLine[] = [];

/** Blue on a dark map and yellow on a light one need an outline; this grey contrasts with both. */
const edgeColor = '#8b939b';

/** Straight coloured lines between points, below the markers. */
export function useLines(map: MapView | undefined, lines: readonly MapLine[] = noLines) {
  useEffect(() => {
    if (!map || lines.length === 0) return;
    const features = lines.map(({ from, to, color }) => ({
      type: 'Feature' as const,
      properties: { color },
      geometry: {
        type: 'LineString' as const,
        coordinates: [
          [from.longitude, from.latitude],
          [to.longitude, to.latitude],
        ],
      },
    }));
    map.addSource('lines', { type: 'geojson', data: { type: 'FeatureCollection', features } });
    map.addLayer({
      id: 'line-edges',
      type: 'line',
      source: 'lines',
      paint: { 'line-color': edgeColor, 'line-width': 5 },
    });
    map.addLayer({
      id: 'lines',
      type: 'line',
      source: 'lines',
      paint: { 'line-color': ['get', 'color'], 'line-width': 3, 'line-opacity': 0.7 },
    });
    return () => {
      if (!map.style) return;
      map.removeLayer('lines');
      map.removeLayer('line-edges');
      map.removeSource('lines');
    };
  }, [map, lines]);
}
