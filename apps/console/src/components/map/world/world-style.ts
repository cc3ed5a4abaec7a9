import type { VectorSourceSpecification } from 'maplibre-gl';
import { type Drawing, mapColors, mapFonts, type Scheme } from '../map-style.ts';
import { collection } from './geojson.ts';
import landURL from './land.json?url';
import { ranks } from './town-search.ts';
import type { roadLayers } from './world-data.ts';
import { countriesURL, finestDetail, roadZooms, tilesURL, type WorldTiles } from './world-tiles.ts';

/** Zoom at which the outline shows its resolution of hundredths of degrees: beyond it no finer tiles are cut. */
const finestOutline = 3;

/** The smallest rank of labelled towns by zoom, as a `step` expression. */
const byZoom = ranks.flatMap(([, rank], index) => (index === 0 ? [rank] : [ranks[index - 1]![0], rank]));
const attribution = 'Natural Earth · <a href="https://www.geonames.org" target="_blank" rel="noreferrer">GeoNames</a>';

const roadAttribution =
  '© <a href="https://www.openstreetmap.org/copyright" target="_blank" rel="noreferrer">OpenStreetMap</a>';

/** The layers of the first outline. */
export const firstLayers = ['first-land', 'first-borders'];

export const landSource = 'first';

/** A coarse outline of land: the first layer that is drawn. */
export function firstDrawing(scheme: Scheme): Drawing {
  const data = new URL(landURL, location.href).href;
  return {
    sources: { [landSource]: { type: 'geojson', data, maxzoom: finestOutline, attribution } },
    layers: [
      {
        id: 'first-land',
        type: 'fill',
        source: landSource,
        paint: { 'fill-color': mapColors[scheme].land, 'fill-antialias': false },
      },
    ],
  };
}

/** Its borders, in a layer of their own: lines need another shader program, which the first frame does not wait for. */
export function firstBorders(scheme: Scheme): Drawing {
  const paint = { 'line-color': mapColors[scheme].coast, 'line-width': 0.8 };
  return { sources: {}, layers: [{ id: 'first-borders', type: 'line', source: landSource, paint }] };
}

/** Zoom from which detailed tiles replace the first outline. */
export const outlineZoom = 4;
export const outlineSource = 'outline' satisfies WorldTiles;

/** The names of countries and towns. */
function placeNames(scheme: Scheme) {
  const colors = mapColors[scheme];
  return [
    {
      id: 'countries',
      type: 'symbol',
      source: 'countries',
      maxzoom: 6.5,
      // The least share of the globe, in thousandths, of a country with a label.
      filter: ['>=', ['get', 'size'], ['step', ['zoom'], 2, 2, 0.5, 3, 0.1, 4, 0.01, 5, 0]],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': mapFonts,
        'text-size': ['interpolate', ['linear'], ['zoom'], 1, 10, 5, 13],
        'text-transform': 'uppercase',
        'text-letter-spacing': 0.08,
        'text-max-width': 7,
        'symbol-sort-key': ['-', ['get', 'size']],
      },
      paint: { 'text-color': colors.country, 'text-halo-color': colors.halo, 'text-halo-width': 1 },
    },
    {
      id: 'towns',
      type: 'symbol',
      source: 'towns',
      'source-layer': 'towns',
      filter: ['>=', ['get', 'rank'], ['step', ['zoom'], ...byZoom]],
      layout: {
        'text-field': ['concat', '• ', ['get', 'name']],
        'text-font': mapFonts,
        'text-size': ['interpolate', ['linear'], ['get', 'rank'], 0, 11, 6, 15],
        'text-anchor': 'left',
        'text-offset': [-0.3, 0],
        'text-padding': 6,
        'text-max-width': 14,
        'symbol-sort-key': ['-', ['get', 'rank']],
      },
      paint: { 'text-color': colors.town, 'text-halo-color': colors.halo, 'text-halo-width': 1.2 },
    },
  ];
}

/** Coasts, borders, waters and roads, and the labels of countries and towns. */
export function worldDrawing(scheme: Scheme): Drawing {
  const colors = mapColors[scheme];
  const tiles = (kind: WorldTiles, minzoom: number, from = attribution): VectorSourceSpecification => ({
    type: 'vector',
    tiles: [tilesURL(kind)],
    minzoom,
    maxzoom: finestDetail,
    attribution: from,
  });
  const width = (thin: number, thick: number) => ['interpolate', ['linear'], ['zoom'], 4, thin, 10, thick];
  const area = (id: string, color: string) => ({
    id,
    type: 'fill',
    source: outlineSource,
    'source-layer': id,
    paint: { 'fill-color': color, 'fill-antialias': false },
  });
  const line = (id: string, paint: object, source: WorldTiles = outlineSource) => ({
    id,
    type: 'line',
    source,
    'source-layer': id,
    paint,
  });
  const road = (id: (typeof roadLayers)[number], widths: [thin: number, thick: number]) => ({
    ...line(
      id,
      {
        'line-color': colors.road,
        'line-width': width(...widths),
        'line-opacity': ['interpolate', ['linear'], ['zoom'], roadZooms.fading, 1, roadZooms.none, 0],
      },
      'roads',
    ),
    minzoom: roadZooms[id],
    maxzoom: roadZooms.none,
    layout: { 'line-join': 'round' },
  });
  return {
    sources: {
      outline: tiles('outline', outlineZoom),
      roads: tiles('roads', Math.floor(roadZooms.far), roadAttribution),
      towns: tiles('towns', 0),
      countries: { type: 'geojson', data: countriesURL, maxzoom: finestDetail, attribution },
    },
    layers: [
      area('land', colors.land),
      line('rivers', { 'line-color': colors.river, 'line-width': width(0.8, 2.4) }),
      area('lakes', colors.water),
      road('near', [0.4, 1]),
      road('far', [0.6, 2]),
      line('inner', { 'line-color': colors.inner, 'line-width': width(0.5, 1), 'line-dasharray': [2, 3] }),
      line('coasts', { 'line-color': colors.coast, 'line-width': width(0.6, 1) }),
      line('borders', { 'line-color': colors.border, 'line-width': width(0.8, 1.6), 'line-dasharray': [3, 2] }),
      ...placeNames(scheme),
    ] as Drawing['layers'],
  };
}

/** The source that follows the view. */
export const gridSource = 'grid';

/** The grid of degrees; its lines are computed for the view. */
export function gridDrawing(scheme: Scheme): Drawing {
  const colors = mapColors[scheme];
  return {
    sources: {
      [gridSource]: { type: 'geojson', data: collection([]), attribution },
    },
    layers: [
      { id: 'grid', type: 'line', source: gridSource, paint: { 'line-color': colors.grid, 'line-width': 1 } },
      {
        id: 'grid-names',
        type: 'symbol',
        source: gridSource,
        layout: {
          'symbol-placement': 'line',
          'symbol-spacing': 400,
          'text-field': ['get', 'name'],
          'text-font': mapFonts,
          'text-size': 10,
          'text-offset': [0, -0.7],
        },
        paint: { 'text-color': colors.country, 'text-halo-color': colors.land, 'text-halo-width': 1 },
      },
    ] as Drawing['layers'],
  };
}
