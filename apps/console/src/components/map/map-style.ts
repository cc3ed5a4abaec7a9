import type { LayerSpecification, SourceSpecification, StyleSpecification } from 'maplibre-gl';
import landURL from './land.json?url';
import type { PointTone } from './map-point.ts';

export interface MapTiles {
  /** Raster tiles with `{z}`, `{x}` and `{y}`, and `{s}` where a service spreads over several hosts. */
  readonly url: string;
  readonly attribution: string;
}

/** Zoom from which the outline shows no more than its hundredths of degrees: beyond it nothing is cut anew. */
const finestOutline = 3;

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

/** The map before anything is on it. */
export function styleOf(scheme: 'light' | 'dark'): StyleSpecification {
  const { water } = mapColors[scheme];
  return {
    version: 8,
    sources: {},
    layers: [{ id: 'water', type: 'background', paint: { 'background-color': water } }],
  };
}

interface World {
  readonly source: SourceSpecification;
  readonly layers: readonly (LayerSpecification & { source: 'world' })[];
}

/** The world behind the markers: the tiles of the settings, or the built-in outline, which needs no network. */
export function worldOf(scheme: 'light' | 'dark', tiles: MapTiles | null): World {
  const { land, border } = mapColors[scheme];
  const source = 'world';
  if (tiles) {
    const paint = scheme === 'dark' ? { 'raster-brightness-max': 0.7, 'raster-saturation': -0.4 } : {};
    return {
      source: {
        type: 'raster',
        tiles: addressesOf(tiles.url),
        tileSize: 256,
        attribution: tiles.attribution,
        maxzoom: 19,
      },
      layers: [{ id: 'tiles', type: 'raster', source, paint }],
    };
  }
  return {
    source: { type: 'geojson', data: new URL(landURL, location.href).href, maxzoom: finestOutline },
    layers: [
      { id: 'land', type: 'fill', source, paint: { 'fill-color': land, 'fill-antialias': false } },
      { id: 'borders', type: 'line', source, paint: { 'line-color': border, 'line-width': 0.8 } },
    ],
  };
}

function addressesOf(url: string): string[] {
  return url.includes('{s}') ? ['a', 'b', 'c'].map((host) => url.replace('{s}', host)) : [url];
}

export function haloOf(scheme: 'light' | 'dark'): string {
  return mapColors[scheme].halo;
}
