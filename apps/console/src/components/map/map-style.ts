import type { StyleSpecification } from 'maplibre-gl';
import landURL from './land.json?url';
import type { PointTone } from './map-point.ts';

export interface MapTiles {
  /** Raster tiles with `{z}`, `{x}` and `{y}`, and `{s}` where a service spreads over several hosts. */
  readonly url: string;
  readonly attribution: string;
}

interface MapColors {
  readonly water: string;
  readonly land: string;
  readonly border: string;
  readonly halo: string;
}

const mapColors: Record<'light' | 'dark', MapColors> = {
  light: { water: '#dfe9f0', land: '#f7f8f6', border: '#c6d0d6', halo: '#ffffff' },
  dark: { water: '#12191f', land: '#27313a', border: '#44525d', halo: '#12191f' },
};

/** Fills of markers and clusters. They sit on a map of either theme, so they are the same in both. */
export const toneColors: Record<PointTone, string> = {
  active: '#2f9e44',
  inactive: '#e03131',
  never: '#7b868e',
  plain: '#0f7692',
};

/** The world behind the markers: the tiles of the settings, or the built-in outline, which needs no network. */
export function styleOf(scheme: 'light' | 'dark', tiles: MapTiles | null): StyleSpecification {
  const colors = mapColors[scheme];
  if (tiles) {
    return {
      version: 8,
      sources: {
        tiles: {
          type: 'raster',
          tiles: addressesOf(tiles.url),
          tileSize: 256,
          attribution: tiles.attribution,
          maxzoom: 19,
        },
      },
      layers: [
        {
          id: 'tiles',
          type: 'raster',
          source: 'tiles',
          paint: scheme === 'dark' ? { 'raster-brightness-max': 0.7, 'raster-saturation': -0.4 } : {},
        },
      ],
    };
  }
  return {
    version: 8,
    sources: { land: { type: 'geojson', data: new URL(landURL, location.href).href } },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': colors.water } },
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': colors.land } },
      { id: 'borders', type: 'line', source: 'land', paint: { 'line-color': colors.border, 'line-width': 0.8 } },
    ],
  };
}

function addressesOf(url: string): string[] {
  return url.includes('{s}') ? ['a', 'b', 'c'].map((host) => url.replace('{s}', host)) : [url];
}

export function haloOf(scheme: 'light' | 'dark'): string {
  return mapColors[scheme].halo;
}
