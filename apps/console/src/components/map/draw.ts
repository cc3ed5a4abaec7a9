import type { Map as MapView } from 'maplibre-gl';
import { aboveWorld, type Drawing } from './map-style.ts';

/** Adds a part of the world below the points; returns a function that removes it. */
export function draw(map: MapView, { sources, layers }: Drawing): () => void {
  for (const [id, source] of Object.entries(sources)) map.addSource(id, source);
  for (const layer of layers) map.addLayer(layer, aboveWorld);
  return () => {
    // A removed map has already removed its layers.
    if (!map.style) return;
    for (const { id } of layers) map.removeLayer(id);
    for (const id of Object.keys(sources)) map.removeSource(id);
  };
}
