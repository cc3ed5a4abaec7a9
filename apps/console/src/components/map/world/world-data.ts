import { collection, type Feature, type FeatureCollection, feature } from './geojson.ts';
import { decodeLine, decodeLines } from './lines.ts';
import outlineURL from './outline.packed?url';
import roadsURL from './roads.packed?url';
import townsURL from './towns.packed?url';
import { yieldToBrowser } from './yield-to-browser.ts';

/** Units per degree, as written by `scripts/world-map.mjs`. */
const steps = { outline: 1000, water: 100, inner: 200, roads: 200, towns: 500 };

/** Side of a cell in degrees, as cut by the script. */
export const cellDegrees = 10;

/** Encoded polygons (rings) and lines. */
interface CellFile {
  readonly land?: readonly (readonly string[])[];
  readonly borders?: readonly string[];
  /** All in one. */
  readonly inner?: string;
  readonly lakes?: readonly (readonly string[])[];
  readonly rivers?: readonly string[];
}

interface OutlineFile {
  /** By the south-western corner of the cell: `-10,50`. */
  readonly cells: Readonly<Record<string, CellFile>>;
  readonly countries: readonly (readonly [name: string, longitude: number, latitude: number, size: number])[];
}

/** Roads by cell: those between cities, and all others, each in one text. */
type RoadsFile = Readonly<Record<string, { readonly far?: string; readonly near?: string }>>;

export const layers = ['land', 'coasts', 'borders', 'inner', 'lakes', 'rivers'] as const;
/** The features of one cell. */
export type Cell = Readonly<Record<(typeof layers)[number], readonly Feature[]>>;

export interface Outline {
  /** Undefined for a cell of open sea. */
  cell: (west: number, south: number) => Cell | undefined;
  readonly countries: FeatureCollection;
}

export interface Town {
  readonly name: string;
  readonly longitude: number;
  readonly latitude: number;
  /** From 0, some thousands of people, to 6, some millions. */
  readonly rank: number;
}

const polygons = (areas: CellFile['land'] = [], step: number) =>
  areas.map((rings) => feature({ type: 'Polygon', coordinates: rings.map((ring) => decodeLine(ring, step)) }));
const lines = (texts: CellFile['rivers'] = [], step: number) =>
  texts.map((text) => feature({ type: 'LineString', coordinates: decodeLine(text, step) }));

const network = (text: string | undefined, step: number) =>
  (text ? decodeLines(text, step) : []).map((coordinates) => feature({ type: 'LineString', coordinates }));

/** Coasts, borders and waters: fetched once on first use, and decoded cell by cell. */
export const loadOutline = once(async (): Promise<Outline> => {
  const file = await fetchPacked<OutlineFile>(outlineURL);
  return {
    cell: cellsOf(file.cells, readCell),
    countries: collection(
      file.countries.map(([name, longitude, latitude, size]) =>
        feature({ type: 'Point', coordinates: [longitude, latitude] }, { name, size }),
      ),
    ),
  };
});

/** Decodes a cell on first use. */
function cellsOf<File, Read>(files: Readonly<Record<string, File>>, read: (file: File) => Read) {
  const known = new Map<string, Read>();
  return (west: number, south: number): Read | undefined => {
    const key = `${west},${south}`;
    const found = files[key];
    if (found && !known.has(key)) known.set(key, read(found));
    return known.get(key);
  };
}

function readCell(file: CellFile): Cell {
  const land = polygons(file.land, steps.outline);
  return {
    land,
    coasts: land.flatMap(({ geometry }) => (geometry.type === 'Polygon' ? geometry.coordinates.flatMap(coastsOf) : [])),
    borders: lines(file.borders, steps.outline),
    inner: network(file.inner, steps.inner),
    lakes: polygons(file.lakes, steps.water),
    rivers: lines(file.rivers, steps.water),
  };
}

/** The sides of a ring, without those along the cell borders. */
function coastsOf(ring: readonly (readonly number[])[]): Feature[] {
  const pieces: number[][][] = [];
  let piece: number[][] = [];
  for (const [index, point] of ring.entries()) {
    const before = ring[index - 1];
    if (before && [0, 1].some((axis) => point[axis] === before[axis] && point[axis]! % cellDegrees === 0)) {
      pieces.push(piece);
      piece = [];
    }
    piece.push([...point]);
  }
  return [...pieces, piece]
    .filter(({ length }) => length > 1)
    .map((coordinates) => feature({ type: 'LineString', coordinates }));
}

export const roadLayers = ['far', 'near'] as const;
export type Roads = Readonly<Record<(typeof roadLayers)[number], readonly Feature[]>>;

/** Main roads: fetched once on first use, and decoded cell by cell. */
export const loadRoads = once(async () =>
  cellsOf(
    await fetchPacked<RoadsFile>(roadsURL),
    ({ far, near }): Roads => ({
      far: network(far, steps.roads),
      near: network(near, steps.roads),
    }),
  ),
);

/** All towns of two thousand people and more, largest first. */
export const loadTowns = once(async (): Promise<readonly Town[]> => {
  const file = await fetchPacked<readonly { rank: number; names: string; places: string }[]>(townsURL);
  const towns: Town[] = [];
  for (const { rank, names, places } of file) {
    const named = names.split('\n');
    for (const [index, [longitude, latitude]] of decodeLine(places, steps.towns).entries())
      towns.push({ name: named[index] ?? '', longitude, latitude, rank });
    await yieldToBrowser();
  }
  return towns;
});

async function fetchPacked<T>(url: string): Promise<T> {
  const answer = await fetch(url);
  if (!answer.ok || !answer.body) throw new Error(`${url} was answered with ${answer.status}.`);
  return (await new Response(answer.body.pipeThrough(new DecompressionStream('gzip'))).json()) as T;
}

/** Shares one promise between all callers; a failure is retried by the next call. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
