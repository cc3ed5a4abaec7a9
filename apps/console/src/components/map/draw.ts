import type { Map as MapView } from 'maplibre-gl';
import { aboveWorld, type Drawing } from './map-style.ts';

/** Puts a part of the world below the points; answers what takes it away again. */
export function draw(map: MapView, { sources, layers }: Drawing): () => void {
  for (const [id, source] of Object.entries(sources)) map.addSource(id, source);
  for (const layer of layers) map.addLayer(layer, aboveWorld);
  return () => {
    // A map that was removed has taken everything with it.
    if (!map.style) return;
    for (const { id } of layers) map.removeLayer(id);
    for (const id of Object.keys(sources)) map.removeSource(id);
  };
}
