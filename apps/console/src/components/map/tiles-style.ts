import type { Drawing, Scheme } from './map-style.ts';

export interface MapTiles {
  /** Raster tiles with `{z}`, `{x}` and `{y}`, and `{s}` for services with several hosts. */
  readonly url: string;
  readonly attribution: string;
}

export const tilesSource = 'tiles';

/** The configured tiles, dimmed in the dark colour scheme. */
export function tilesDrawing(scheme: Scheme, { url, attribution }: MapTiles): Drawing {
  const paint = scheme === 'dark' ? { 'raster-brightness-max': 0.7, 'raster-saturation': -0.4 } : {};
  return {
    sources: {
      [tilesSource]: { type: 'raster', tiles: addressesOf(url), tileSize: 256, attribution, maxzoom: 19 },
    },
    layers: [{ id: 'tiles', type: 'raster', source: tilesSource, paint }],
  };
}

function addressesOf(url: string): string[] {
  return url.includes('{s}') ? ['a', 'b', 'c'].map((host) => url.replace('{s}', host)) : [url];
}
