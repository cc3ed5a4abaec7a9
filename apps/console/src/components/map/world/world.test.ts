import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { cellsIn } from './cells.ts';
import type { Feature } from './geojson.ts';
import { graticule } from './graticule.ts';
import { decodeLine, decodeLines } from './lines.ts';
import { featuresOf, tileOf } from './tiles.ts';
import { nearestTown, townsIn } from './town-search.ts';
import { loadOutline, loadRoads, loadTowns, type Town } from './world-data.ts';

const folder = join(import.meta.dirname);
const mostBytes = 3_000_000;

describe('the built-in world', () => {
  let towns: readonly Town[];
  beforeAll(async () => {
    vi.stubGlobal('fetch', async (url: string) => new Response(readFileSync(join(folder, url.split('/').at(-1)!))));
    towns = await loadTowns();
  });

  it('has at most three megabytes', () => {
    const names = ['land.json', 'outline.packed', 'roads.packed', 'towns.packed'];
    const sizes = names.map((name) => statSync(join(folder, name)).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(mostBytes);
  });

  it('decodes lines like the reference implementation', () => {
    expect(decodeLine('_p~iF~ps|U_ulLnnqC_mqNvxq`@', 1e5)).toEqual([
      [38.5, -120.2],
      [40.7, -120.95],
      [43.252, -126.453],
    ]);
    expect(decodeLine('', 100)).toEqual([]);
    expect(decodeLines('_p~iF~ps|U_ulLnnqC _mqNvxq`@', 1e5)).toEqual([
      [
        [38.5, -120.2],
        [40.7, -120.95],
      ],
      [[43.252, -126.453]],
    ]);
  });

  it('has coasts, borders, lakes, rivers and countries, all of them on the globe', async () => {
    const { cell, countries } = await loadOutline();
    expect(countries.features.map(({ properties }) => properties?.['name'])).toContain('Switzerland');
    const all = { west: -180, south: -90, east: 179, north: 89 };
    for (const [west, south] of cellsIn(all)) {
      for (const features of Object.values(cell(west, south) ?? {})) {
        const isInside = ([longitude, latitude]: readonly number[]) =>
          longitude! >= west && longitude! <= west + 10 && latitude! >= south && latitude! <= south + 10;
        expect(features.flatMap(positionsOf).every(isInside)).toBe(true);
      }
    }
    const alps = cell(0, 40)!;
    expect(Object.fromEntries(Object.entries(alps).map(([layer, { length }]) => [layer, length > 0]))).toEqual({
      land: true,
      coasts: true,
      borders: true,
      inner: true,
      lakes: true,
      rivers: true,
    });
    expect(cell(-150, -20)?.coasts.length).toBeGreaterThan(0);
    expect(cell(-40, 20)).toBeUndefined();
  });

  it('has main roads all over the world, with those between cities separate', async () => {
    const roads = await loadRoads();
    const leadsPast = (layer: 'far' | 'near', longitude: number, latitude: number) => {
      const squares = cellsIn({ west: longitude, south: latitude, east: longitude, north: latitude });
      const positions = squares.flatMap(([west, south]) => roads(west, south)?.[layer].flatMap(positionsOf) ?? []);
      return positions.some(([x, y]) => Math.abs(x! - longitude) < 0.1 && Math.abs(y! - latitude) < 0.1);
    };
    const utrecht = leadsPast('far', 5.12, 52.09);
    const nairobi = leadsPast('far', 36.82, -1.29);
    const denver = leadsPast('far', -104.99, 39.74);
    const melbourne = leadsPast('far', 144.96, -37.81);
    const ocean = leadsPast('far', -40, 30);
    const all = { utrecht, nairobi, denver, melbourne, ocean };
    expect(all).toEqual({ utrecht: true, nairobi: true, denver: true, melbourne: true, ocean: false });
    expect(leadsPast('near', 9.19, 45.46)).toBe(true);
  });

  it('knows which side of a coast is land', async () => {
    const { cell } = await loadOutline();
    const areaOf = (ring: number[][]) =>
      ring.reduce((sum, [x, y], index) => {
        const [beforeX = x!, beforeY = y!] = ring[index - 1] ?? [];
        return sum + (beforeX * y! - x! * beforeY) / 2;
      }, 0);
    const share = (west: number, south: number) =>
      (cell(west, south)?.land ?? []).reduce(
        (sum, { geometry }) =>
          sum +
          (geometry.type === 'Polygon'
            ? Math.abs(geometry.coordinates.reduce((all, ring) => all + areaOf(ring), 0))
            : 0),
        0,
      ) / 100;
    expect(share(10, 20)).toBe(1);
    expect(share(0, 50)).toBeGreaterThan(0.3);
    expect(share(0, 50)).toBeLessThan(0.7);
    expect(share(-20, 20)).toBeLessThan(0.6);
    expect(share(-150, -20)).toBeLessThan(0.05);
  });

  it('draws no lines along the cell borders', async () => {
    const { cell } = await loadOutline();
    const isEdge = ({ geometry }: Feature) =>
      geometry.type === 'LineString' &&
      geometry.coordinates.some(([x, y], index) => {
        const [beforeX, beforeY] = geometry.coordinates[index - 1] ?? [];
        return (x === beforeX && x! % 10 === 0) || (y === beforeY && y! % 10 === 0);
      });
    expect(cell(10, 20)!.coasts).toEqual([]);
    expect(cell(0, 40)!.coasts.filter(isEdge)).toEqual([]);
  });

  it('selects the visible cells, also across 180°', () => {
    expect(cellsIn({ west: 5, south: 49, east: 12, north: 52 })).toEqual([
      [0, 40],
      [0, 50],
      [10, 40],
      [10, 50],
    ]);
    expect(cellsIn({ west: 175, south: 1, east: 185, north: 2 })).toEqual([
      [170, 0],
      [-180, 0],
    ]);
    expect(cellsIn({ west: -500, south: 1, east: 500, north: 2 })).toHaveLength(36);
  });

  it('is cut into tiles: outlines, roads above a zoom, and towns by size', async () => {
    const northSea = { z: 5, x: 16, y: 10 };
    const utrecht = { z: 9, x: 263, y: 168 };
    const outline = await featuresOf('outline', northSea);
    expect(Object.keys(outline).sort()).toEqual(['borders', 'coasts', 'inner', 'lakes', 'land', 'rivers']);
    expect(outline['coasts']!.length).toBeGreaterThan(0);
    expect(Object.keys(await featuresOf('roads', northSea))).toEqual(['far']);
    expect(Object.keys(await featuresOf('roads', utrecht))).toEqual(['far', 'near']);
    const names = async (tile: typeof utrecht) =>
      (await featuresOf('towns', tile))['towns']!.map(({ properties }) => properties!['name']);
    expect(await names(northSea)).toContain('Amsterdam');
    expect(await names(northSea)).not.toContain('Zeist');
    expect(await names(utrecht)).toEqual(expect.arrayContaining(['Utrecht', 'Zeist']));
  });

  it('encodes a tile with its features, also on the other side of the globe', async () => {
    const layersOf = async (...of: Parameters<typeof tileOf>) => {
      const text = new TextDecoder('latin1').decode(await tileOf(...of));
      return ['land', 'coasts', 'far', 'towns'].filter((layer) => text.includes(layer));
    };
    expect(await layersOf('outline', { z: 5, x: 16, y: 10 })).toEqual(['land', 'coasts']);
    expect(await layersOf('roads', { z: 5, x: 16, y: 10 })).toEqual(['far']);
    expect(await layersOf('outline', { z: 6, x: 24, y: 27 })).toEqual([]);
    const suva = await featuresOf('towns', { z: 9, x: 509, y: 282 });
    expect(suva['towns']!.map(({ properties }) => properties!['name'])).toContain('Suva');
  });

  it('labels towns at their position, larger ones at lower zooms', () => {
    const zeist = { west: 5.1, south: 52, east: 5.35, north: 52.2 };
    const names = (zoom: number) => townsIn(towns, zeist, zoom).map(({ name }) => name);
    expect(names(11)).toEqual(expect.arrayContaining(['Utrecht', 'Zeist', 'De Bilt']));
    expect(names(5)).toEqual(['Utrecht']);
    const acrossTheDateLine = { west: 176, south: -19, east: 182, north: -16 };
    expect(townsIn(towns, acrossTheDateLine, 11).map(({ name }) => name)).toContain('Suva');
  });

  it('names the nearest town with distance and direction', () => {
    expect(nearestTown(towns, { latitude: 52.091, longitude: 5.122 })).toBe('Utrecht');
    expect(nearestTown(towns, { latitude: 52.09, longitude: 5.3 })).toMatch(/^Driebergen-Rijsenburg, \d\.\d km south$/);
    expect(nearestTown([], { latitude: 52.09, longitude: 5.12 })).toBeUndefined();
  });

  it('has lines at round degrees, with labels', () => {
    const features = graticule({ west: 5.09, south: 52.075, east: 5.15, north: 52.105 });
    const names = features.map(({ properties }) => properties?.['name']);
    expect(names).toEqual(expect.arrayContaining(['5.12° E', '52.09° N']));
    expect(names.length).toBeLessThan(20);
    const west = graticule({ west: 179.5, south: -1, east: 180.5, north: 0 }).map((one) => one.properties?.['name']);
    expect(west).toContain('179.8° W');
  });
});

function positionsOf({ geometry }: Feature): readonly number[][] {
  if (geometry.type === 'Polygon') return geometry.coordinates.flat();
  return geometry.type === 'LineString' ? geometry.coordinates : [];
}
