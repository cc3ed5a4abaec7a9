import { type GeoJSONVTTile, geoJSONToTile } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import { type Box, cellsIn } from './cells.ts';
import { collection, type Feature, feature } from './geojson.ts';
import { townsIn } from './town-search.ts';
import { type Cell, layers, loadOutline, loadRoads, loadTowns, roadLayers } from './world-data.ts';
import { finestDetail, roadZooms, type WorldTiles } from './world-tiles.ts';

/** A tile of a web map: counted from the north-west, 2 to the power of `z` in a row. */
export interface Tile {
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

/** Units along the side of a tile, and the margin around it that is also drawn. */
const [extent, buffer] = [4096, 128];

/** A tile of the built-in world as a Mapbox vector tile; empty layers are omitted. */
export async function tileOf(kind: WorldTiles, tile: Tile): Promise<Uint8Array> {
  const features = Object.entries(await featuresOf(kind, tile));
  const drawn = features.flatMap(([layer, ones]): [string, GeoJSONVTTile][] =>
    ones.length === 0 ? [] : [[layer, cut(ones, tile)]],
  );
  return fromGeojsonVt(Object.fromEntries(drawn), { version: 2, extent });
}

const cut = (features: readonly Feature[], { z, x, y }: Tile) =>
  geoJSONToTile(collection([...features]), z, x, y, { maxZoom: finestDetail, extent, buffer, clip: true });

/** The source features of a tile, by layer. */
export async function featuresOf(kind: WorldTiles, tile: Tile): Promise<Readonly<Record<string, readonly Feature[]>>> {
  const box = boxOf(tile);
  if (kind === 'towns') return { towns: await townsOf(box, tile.z) };
  const corners = cellsIn(box);
  if (kind === 'outline') {
    const { cell } = await loadOutline();
    const cells = corners.map(([west, south]) => cell(west, south)).filter((one) => one !== undefined);
    return Object.fromEntries(layers.map((layer) => [layer, cells.flatMap((one: Cell) => one[layer])]));
  }
  const roads = await loadRoads();
  const cells = corners.map(([west, south]) => roads(west, south)).filter((one) => one !== undefined);
  // They are large, so tiles of lower zooms omit them.
  const drawn = tile.z < Math.floor(roadZooms.near) ? roadLayers.filter((layer) => layer !== 'near') : roadLayers;
  return Object.fromEntries(drawn.map((layer) => [layer, cells.flatMap((one) => one[layer])]));
}

/** The finest tiles are also drawn at all higher zooms. */
async function townsOf(box: Box, z: number): Promise<Feature[]> {
  const zoom = z < finestDetail ? z : Number.MAX_VALUE;
  return townsIn(await loadTowns(), box, zoom).map(({ name, rank, longitude, latitude }) =>
    feature({ type: 'Point', coordinates: [longitude, latitude] }, { name, rank }),
  );
}

function boxOf({ z, x, y }: Tile): Box {
  const side = 2 ** z;
  const beside = buffer / extent;
  const longitude = (column: number) => (column / side) * 360 - 180;
  const latitude = (row: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / side))) * 180) / Math.PI;
  return {
    west: longitude(x - beside),
    south: latitude(y + 1 + beside),
    east: longitude(x + 1 + beside),
    north: latitude(y - beside),
  };
}
