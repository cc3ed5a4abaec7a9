import { type Map as MapView, Popup } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import type { MapPoint } from './map-point.ts';

export interface OpenPopup {
  readonly point: MapPoint;
  /** The element inside the popup, for a portal. */
  readonly element: HTMLElement;
}

/** The single popup of a map. React renders its content through a portal into `element`. */
export function usePopup(map: MapView | undefined) {
  const [shown, setShown] = useState<OpenPopup | null>(null);
  useEffect(() => {
    if (!map || !shown) return;
    const { point, element } = shown;
    const popup = new Popup({ offset: 24, maxWidth: '280px' });
    popup.setLngLat([point.longitude, point.latitude]).setDOMContent(element).addTo(map);
    const closing = popup.on('close', () => setShown(null));
    return () => {
      closing.unsubscribe();
      popup.remove();
    };
  }, [map, shown]);
  return { shown, open: (point: MapPoint) => setShown({ point, element: document.createElement('div') }) };
}
