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
import { type RefObject, useEffect, useState } from 'react';
import { emptyStyle, mapColors } from './map-style.ts';
// oxlint-disable-next-line import/default -- the address of what is built of it
import worker from './map-worker.ts?worker&url';

setWorkerUrl(worker);
// The worker starts while this thread waits for the graphics, and stays for the next map.
prewarm();

/** 19 where tiles of 256 pixels are counted. */
const farthestZoom = 18;

interface UsedMap {
  /** Undefined until it is ready to take layers. */
  readonly map: MapView | undefined;
  /** False where the browser offers no WebGL. */
  readonly isSupported: boolean;
}

/** A map with nothing on it inside the element, in the colours of the theme. */
export function useMap(container: RefObject<HTMLElement | null>): UsedMap {
  const scheme = useComputedColorScheme('light');
  const [ready, setReady] = useState<{ view: MapView; scheme: string }>();
  const [isSupported, setSupported] = useState(true);
  useEffect(() => {
    if (!container.current) return;
    const view = create(container.current);
    // oxlint-disable-next-line react/set-state-in-effect -- only trying tells, and it ends here
    if (!view) return setSupported(false);
    view.getCanvas().style.background = mapColors[scheme].water;
    view.once('style.load', () => setReady({ view, scheme }));
    return () => {
      setReady(undefined);
      view.remove();
    };
  }, [container, scheme]);
  // With another scheme the map is another one: nothing may be put on the one that is being removed.
  return { map: ready?.scheme === scheme ? ready.view : undefined, isSupported };
}

/** Undefined where there is no WebGL: trying is the test, as asking first would take as long as the map itself. */
function create(...how: Parameters<typeof open>): MapView | undefined {
  try {
    return open(...how);
  } catch (error) {
    if (error instanceof GPUInitializationError) return undefined;
    throw error;
  }
}

function open(container: HTMLElement): MapView {
  const view = new MapView({
    container,
    style: emptyStyle,
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
  view.addControl(new ScaleControl({ maxWidth: 120 }), 'bottom-right');
  return view;
}

/**
 * The map cannot be tilted, so no sky is ever in sight; MapLibre draws one all the same, with a program of its own and a look
 * at each pixel of each picture.
 */
function withoutSky({ painter }: MapView) {
  painter.drawFunctions = { ...painter.drawFunctions, sky: () => undefined };
}

/** Those who give tiles away want to know to which site they go; which page it is stays here. */
const isOurs = (url: string) => new URL(url, location.href).origin === location.origin;
