import { useComputedColorScheme } from '@mantine/core';
import type { Map as MapView } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { draw } from './draw.ts';
import { type MapTiles, tilesDrawing, tilesSource } from './tiles-style.ts';

/** How many consecutive failures mean that tiles are unreachable, and how long the first tile may take. */
const patience = { failures: 3, ms: 8000 };

/** The configured tiles below the points. `onUnreachable` is called once when they cannot be loaded. */
export function useTileLayer(map: MapView | undefined, tiles: MapTiles | null, onUnreachable: () => void) {
  const scheme = useComputedColorScheme('light');
  const latest = useRef(onUnreachable);
  useEffect(() => {
    latest.current = onUnreachable;
  });
  useEffect(() => {
    if (!map || !tiles) return;
    const remove = draw(map, tilesDrawing(scheme, tiles));
    let failures = 0;
    const giveUp = () => latest.current();
    const timer = setTimeout(giveUp, patience.ms);
    const subscriptions = [
      map.on('error', (event) => {
        if ((event as { sourceId?: string }).sourceId !== tilesSource) return console.error(event.error);
        failures += 1;
        if (failures === patience.failures) giveUp();
      }),
      map.on('data', (event) => {
        const { sourceId, tile } = event as { sourceId?: string; tile?: { state?: string } };
        if (sourceId !== tilesSource || tile?.state !== 'loaded') return;
        clearTimeout(timer);
        failures = 0;
      }),
    ];
    return () => {
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription.unsubscribe();
      remove();
    };
  }, [map, scheme, tiles]);
}
