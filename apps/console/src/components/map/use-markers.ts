import { useComputedColorScheme } from '@mantine/core';
import { type Map as MapView, Marker } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import type { MapPoint } from './map-point.ts';
import { toneColor } from './map-style.ts';

interface MarkerActions {
  onOpen?: ((point: MapPoint) => void) | undefined;
  onPlace?: ((latitude: number, longitude: number) => void) | undefined;
}

/** One pin per point, each a button for the keyboard. Use clusters for more than a few hundred points. */
export function useMarkers(map: MapView | undefined, points: readonly MapPoint[], actions: MarkerActions) {
  const scheme = useComputedColorScheme('light');
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  const isDraggable = actions.onPlace !== undefined;
  const isOpening = actions.onOpen !== undefined;

  useEffect(() => {
    if (!map) return;
    const markers = points.map((point) => {
      const marker = new Marker({ color: toneColor(point.tone ?? 'plain', scheme), draggable: isDraggable });
      marker.setLngLat([point.longitude, point.latitude]).addTo(map);
      dress(marker, point, isOpening ? () => latest.current.onOpen?.(point) : undefined);
      marker.on('dragend', () => {
        const { lat, lng } = marker.getLngLat().wrap();
        latest.current.onPlace?.(lat, lng);
      });
      return marker;
    });
    return () => {
      for (const marker of markers) marker.remove();
    };
  }, [map, points, scheme, isDraggable, isOpening]);

  useEffect(() => {
    if (!map || !isDraggable) return;
    const clicks = map.on('click', ({ lngLat }) => {
      const { lat, lng } = lngLat.wrap();
      latest.current.onPlace?.(lat, lng);
    });
    return () => clicks.unsubscribe();
  }, [map, isDraggable]);
}

function dress(marker: Marker, point: MapPoint, open: (() => void) | undefined) {
  const element = marker.getElement();
  element.setAttribute('aria-label', point.label);
  element.setAttribute('role', open ? 'button' : 'img');
  if (!open) return;
  element.tabIndex = 0;
  element.style.cursor = 'pointer';
  element.addEventListener('click', (event) => {
    event.stopPropagation();
    open();
  });
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    // Otherwise the same key press would also activate the close button of the popup, which takes the focus.
    event.preventDefault();
    open();
  });
}
