import { useComputedColorScheme } from '@mantine/core';
import { AttributionControl, type Map as MapView } from 'maplibre-gl';
import { useEffect } from 'react';
import { type MapTiles, worldOf } from './map-style.ts';

/** What lies below the points: the tiles of the settings, or the built-in outline. */
export function useWorld(map: MapView | undefined, tiles: MapTiles | null) {
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    if (!map) return;
    const { source, layers } = worldOf(scheme, tiles);
    map.addSource('world', source);
    for (const layer of layers) map.addLayer(layer);
    const attribution = new AttributionControl({ compact: true });
    if (tiles) map.addControl(attribution);
    return () => {
      if (!map.style) return;
      if (tiles) map.removeControl(attribution);
      for (const { id } of layers) map.removeLayer(id);
      map.removeSource('world');
    };
  }, [map, scheme, tiles]);
}
