/**
 * MapLibre's worker, which also reads, cuts and encodes the built-in world, so that large work does not block the page.
 */
import type { AddProtocolAction } from 'maplibre-gl';
import MapWorker from 'maplibre-gl/dist/maplibre-gl-worker.mjs';
import { tileOf } from './world/tiles.ts';
import { loadOutline } from './world/world-data.ts';
import { countriesURL, protocol, worldTiles } from './world/world-tiles.ts';

declare const self: { worker?: MapWorker; addProtocol: (name: string, answer: AddProtocolAction) => void };

// The import starts the worker. Its package claims to have no side effects, so it must be used to survive tree shaking.
self.worker ??= new MapWorker(self);

self.addProtocol(protocol, async ({ url }) => {
  if (url === countriesURL) return { data: (await loadOutline()).countries };
  const [kind, ...tile] = url.slice(`${protocol}://`.length).split('/');
  const part = worldTiles.find((one) => one === kind);
  const [z = 0, x = 0, y = 0] = tile.map(Number);
  if (!part) throw new Error(`The built-in world has no ${url}.`);
  const { buffer, byteOffset, byteLength } = await tileOf(part, { z, x, y });
  return { data: buffer.slice(byteOffset, byteOffset + byteLength) };
});
