import { useComputedColorScheme } from '@mantine/core';
import {
  AttributionControl,
  GPUInitializationError,
  Map as MapView,
  NavigationControl,
  prewarm,
  ScaleControl,
  setWorkerUrl,
} from 'maplibre-gl';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Camera } from './camera.ts';
import { emptyStyle, mapColors } from './map-style.ts';
// oxlint-disable-next-line import/default -- the URL of the built file
import worker from './map-worker.ts?worker&url';
import type { CameraFor } from './use-viewport.ts';

setWorkerUrl(worker);
// The worker starts while this thread waits for WebGL, and stays for the next map.
prewarm();

/** 19 with tiles of 256 pixels. */
const farthestZoom = 18;

interface UsedMap {
  /** Undefined until layers can be added. */
  readonly map: MapView | undefined;
  /** False where the browser has no WebGL. */
  readonly isSupported: boolean;
}

/** An empty map in the element, in the colours of the theme. It starts at the camera, if that is known by then. */
export function useMap(container: RefObject<HTMLElement | null>, cameraFor: CameraFor): UsedMap {
  const scheme = useComputedColorScheme('light');
  const [ready, setReady] = useState<{ view: MapView; scheme: string }>();
  const [isSupported, setSupported] = useState(true);
  const latest = useRef(cameraFor);
  useEffect(() => {
    latest.current = cameraFor;
  }, [cameraFor]);
  useEffect(() => {
    if (!container.current) return;
    const { clientWidth: width, clientHeight: height } = container.current;
    const view = create(container.current, latest.current({ width, height }));
    // oxlint-disable-next-line react/set-state-in-effect -- only an attempt shows whether WebGL works
    if (!view) return setSupported(false);
    view.getCanvas().style.background = mapColors[scheme].water;
    view.once('style.load', () => setReady({ view, scheme }));
    return () => {
      setReady(undefined);
      view.remove();
    };
  }, [container, scheme]);
  // Another colour scheme creates another map: nothing may be added to the one that is being removed.
  return { map: ready?.scheme === scheme ? ready.view : undefined, isSupported };
}

/** Undefined where there is no WebGL. The attempt is the test, because a separate test takes as long as the map. */
function create(...how: Parameters<typeof open>): MapView | undefined {
  try {
    return open(...how);
  } catch (error) {
    if (error instanceof GPUInitializationError) return undefined;
    throw error;
  }
}

function open(container: HTMLElement, camera: Camera | undefined): MapView {
  const view = new MapView({
    container,
    style: emptyStyle,
    ...(camera && { center: [camera.longitude, camera.latitude], zoom: camera.zoom }),
    maxZoom: farthestZoom,
    attributionControl: false,
    cooperativeGestures: true,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    fadeDuration: 0,
    transformRequest: (url) => (isOurs(url) ? undefined : { url, referrerPolicy: 'strict-origin-when-cross-origin' }),
    validateStyle: false,
  });
  withoutSky(view);
  view.touchZoomRotate.disableRotation();
  view.keyboard.disableRotation();
  view.addControl(new NavigationControl({ showCompass: false }), 'top-right');
  view.addControl(new AttributionControl({ compact: true }), 'bottom-right');
  return view;
}

/** The scale of the map, once the map shows what it is for: otherwise the scale changes at once. */
export function useScale(map: MapView | undefined) {
  useEffect(() => {
    if (!map) return;
    const scale = new ScaleControl({ maxWidth: 120 });
    map.addControl(scale, 'bottom-right');
    return () => {
      if (map.hasControl(scale)) map.removeControl(scale);
    };
  }, [map]);
}

/**
 * Disables the sky: the map cannot be tilted, but MapLibre would still draw one, with a shader program of its own and a
 * pass over all pixels of each frame.
 */
function withoutSky({ painter }: MapView) {
  painter.drawFunctions = { ...painter.drawFunctions, sky: () => undefined };
}

/** Tile services require the site as referrer; the path of the page is not sent. */
const isOurs = (url: string) => new URL(url, location.href).origin === location.origin;
