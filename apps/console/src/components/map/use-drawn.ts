import type { Map as MapView } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { pointsSource } from './use-clusters.ts';
import { landSource } from './world/world-style.ts';

/** Calls once when points, and land where the map brings it, are in the picture, or when there will be none. */
export function useDrawn(map: MapView | undefined, isSupported: boolean, onDrawn: () => void) {
  const latest = useRef(onDrawn);
  useEffect(() => {
    latest.current = onDrawn;
  });
  useEffect(() => {
    if (!isSupported) return latest.current();
    if (!map) return;
    const isThere = () => [pointsSource, landSource].every((one) => !map.getSource(one) || map.isSourceLoaded(one));
    let isNext = false;
    const look = () => {
      // Numbers find their places in the picture after the one that has their circles.
      if (isNext) end();
      isNext = isThere();
    };
    const end = () => {
      for (const one of [renders, rest]) one.unsubscribe();
      latest.current();
    };
    const renders = map.on('render', look);
    const rest = map.on('idle', () => end());
    return () => {
      for (const one of [renders, rest]) one.unsubscribe();
    };
  }, [map, isSupported]);
}
