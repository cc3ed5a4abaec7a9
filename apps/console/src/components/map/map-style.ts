import type { LayerSpecification, SourceSpecification, StyleSpecification } from 'maplibre-gl';
import { colorOf } from '../../theme/data-colors.ts';
import type { PointTone } from './map-point.ts';

export type Scheme = 'light' | 'dark';

interface MapColors {
  readonly water: string;
  readonly land: string;
  readonly coast: string;
  readonly border: string;
  /** Borders of states and provinces. */
  readonly inner: string;
  readonly road: string;
  readonly river: string;
  readonly grid: string;
  readonly town: string;
  readonly country: string;
  readonly halo: string;
  /** The number on a cluster. */
  readonly count: string;
}

export const mapColors: Record<Scheme, MapColors> = {
  light: {
    water: '#dfe9f0',
    land: '#f7f8f6',
    coast: '#c6d0d6',
    border: '#a9b4bb',
    inner: '#bcc5cb',
    road: '#d9cdb2',
    river: '#b4cfe0',
    grid: '#dde3e6',
    town: '#46525a',
    country: '#7b868e',
    halo: '#ffffff',
    count: '#ffffff',
  },
  dark: {
    water: '#12191f',
    land: '#27313a',
    coast: '#44525d',
    border: '#5b6a75',
    inner: '#4d5c68',
    road: '#57594f',
    river: '#2f5570',
    grid: '#34404a',
    town: '#c3ccd3',
    country: '#8b98a2',
    halo: '#12191f',
    count: '#12191f',
  },
};

/** Fills of markers and clusters: the colours of the states. */
export function toneColor(tone: PointTone, scheme: Scheme): string {
  return colorOf(tone === 'plain' ? '--data-1' : `--state-${tone}`, scheme);
}

/** The fonts of labels. MapLibre draws letters by the browser, which has loaded Inter for the page. */
export const mapFonts = ['Inter', 'sans-serif'];

/** The world is drawn below this empty layer, points and lines above it. */
export const aboveWorld = 'above-world';

/**
 * An empty map. The page background serves as water: a layer for it would need another shader program and another
 * frame.
 */
export const emptyStyle: StyleSpecification = {
  version: 8,
  sources: {},
  layers: [{ id: aboveWorld, type: 'background', layout: { visibility: 'none' } }],
};

/** Sources and layers, from bottom to top. */
export interface Drawing {
  readonly sources: Readonly<Record<string, SourceSpecification>>;
  readonly layers: readonly LayerSpecification[];
}

export function haloOf(scheme: Scheme): string {
  return mapColors[scheme].halo;
}
