import { useComputedColorScheme } from '@mantine/core';
import { Map as MapView, NavigationControl, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import worker from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import { type RefObject, useEffect, useState } from 'react';
import { type MapTiles, styleOf } from './map-style.ts';

setWorkerUrl(worker);

const farthestZoom = 19;

interface UsedMap {
  /** Undefined until the style is ready to take layers. */
  readonly map: MapView | undefined;
  /** False where the browser offers no WebGL. */
  readonly isSupported: boolean;
}

/** A map inside the element, in the colours of the theme. */
export function useMap(container: RefObject<HTMLElement | null>, tiles: MapTiles | null | undefined): UsedMap {
  const scheme = useComputedColorScheme('light');
  const [map, setMap] = useState<MapView>();
  const [isSupported] = useState(hasWebGL);
  useEffect(() => {
    if (!container.current || tiles === undefined) return;
    const view = create(container.current, scheme, tiles);
    view.once('style.load', () => setMap(view));
    return () => {
      setMap(undefined);
      view.remove();
    };
  }, [container, scheme, tiles]);
  return { map, isSupported };
}

function hasWebGL(): boolean {
  return document.createElement('canvas').getContext('webgl2') !== null;
}

function create(container: HTMLElement, scheme: 'light' | 'dark', tiles: MapTiles | null): MapView {
  const view = new MapView({
    container,
    style: styleOf(scheme, tiles),
    maxZoom: farthestZoom,
    attributionControl: tiles ? { compact: true } : false,
    cooperativeGestures: true,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
  });
  view.touchZoomRotate.disableRotation();
  view.keyboard.disableRotation();
  view.addControl(new NavigationControl({ showCompass: false }), 'top-right');
  view.addControl(new ScaleControl({ maxWidth: 120 }), 'bottom-right');
  return view;
}
