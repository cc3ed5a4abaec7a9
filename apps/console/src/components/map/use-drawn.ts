import type { Map as MapView } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { pointsSource } from './use-clusters.ts';
import { landSource } from './world/world-style.ts';

/** Calls once when the points, and land if the map has it, are drawn, or when they never will be. */
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
      // Labels are placed one frame after their circles.
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
