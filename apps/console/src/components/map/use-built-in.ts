import { useComputedColorScheme } from '@mantine/core';
import type { GeoJSONSource, Map as MapView } from 'maplibre-gl';
import { useEffect } from 'react';
import { draw } from './draw.ts';
import { breathe } from './world/breathe.ts';
import { type Box, cellsIn } from './world/cells.ts';
import { collection, type Feature, feature } from './world/geojson.ts';
import { graticule } from './world/graticule.ts';
import { townsIn } from './world/town-search.ts';
import {
  type Cell,
  layers,
  loadOutline,
  loadRoads,
  loadTowns,
  type Outline,
  type Roads,
  roadLayers,
  type Town,
} from './world/world-data.ts';
import {
  cellsZoom,
  firstBorders,
  firstDrawing,
  firstLayers,
  followers,
  followersDrawing,
  nearRoadsZoom,
  outlineDrawing,
} from './world/world-style.ts';

/** Zoom from which the grid of degrees is of use. */
const gridZoom = 8;
/** How much beside the view is drawn, too, in parts of it: what comes into sight first when the map is moved. */
const margin = 0.4;

/** So long the first picture stands alone: the page answers, and graphics in software have it done, before more comes. */
const restMs = 300;

/**
 * The world that the product brings: land at once, and when that and the points are drawn borders, coasts, waters and the
 * names of what is in sight. Whatever of it cannot be had is left out.
 */
export function useBuiltIn(map: MapView | undefined, isShown: boolean) {
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    if (!map || !isShown) return;
    const removals = [draw(map, firstDrawing(scheme))];
    let isGone = false;
    map.once('idle', async () => {
      await new Promise((resolve) => setTimeout(resolve, restMs));
      if (isGone) return;
      removals.unshift(draw(map, firstBorders(scheme)));
      const world = await loadWorld();
      if (!world || isGone) return;
      removals.unshift(draw(map, outlineDrawing(scheme, world.outline)), draw(map, followersDrawing(scheme)));
      const follow = following(map, world);
      const bring = async () => {
        // The first strokes stay until there is something in their place.
        if (!(await follow()) || isGone) return;
        for (const layer of firstLayers) map.setLayerZoomRange(layer, 0, cellsZoom);
      };
      const moves = map.on('moveend', () => void bring());
      removals.unshift(() => moves.unsubscribe());
      await bring();
    });
    return () => {
      isGone = true;
      for (const remove of removals) remove();
    };
  }, [map, scheme, isShown]);
}

interface World {
  readonly outline: Outline;
  readonly roads: Awaited<ReturnType<typeof loadRoads>>;
  readonly towns: readonly Town[];
}

async function loadWorld(): Promise<World | undefined> {
  try {
    const [outline, roads, towns] = await Promise.all([loadOutline(), loadRoads(), loadTowns()]);
    return { outline, roads, towns };
  } catch {
    return undefined;
  }
}

/**
 * Brings what is in sight; false when the view moved on before that was done. Squares are handed over only when others came
 * into it: they are large.
 */
function following(map: MapView, { outline, roads, towns }: World): () => Promise<boolean> {
  let [shown, shownRoads] = ['', ''];
  let turns = 0;
  const show = (source: string, features: readonly Feature[]) =>
    void map.getSource<GeoJSONSource>(source)?.setData(collection([...features]));
  return async () => {
    const turn = ++turns;
    /** Gives the page a breath; true when the view has moved on meanwhile, or the map is gone. */
    const isLate = async () => {
      await breathe();
      return turn !== turns || !map.style;
    };
    const [box, zoom] = [boxOf(map), map.getZoom()];
    const corners = zoom < cellsZoom ? [] : cellsIn(box);
    if (shown !== String(corners)) {
      const cells: Cell[] = [];
      for (const [west, south] of corners) {
        const cell = outline.cell(west, south);
        if (cell) cells.push(cell);
        if (await isLate()) return false;
      }
      for (const layer of layers) {
        show(
          layer,
          cells.flatMap((cell) => cell[layer]),
        );
        if (await isLate()) return false;
      }
      shown = String(corners);
    }
    const drawn = zoom < nearRoadsZoom ? roadLayers.filter((layer) => layer !== 'near') : roadLayers;
    if (shownRoads !== String([corners, drawn])) {
      const cells: Roads[] = [];
      for (const [west, south] of corners) {
        const cell = roads(west, south);
        if (cell) cells.push(cell);
        if (await isLate()) return false;
      }
      for (const layer of drawn) {
        show(
          layer,
          cells.flatMap((cell) => cell[layer]),
        );
        if (await isLate()) return false;
      }
      shownRoads = String([corners, drawn]);
    }
    const near = townsIn(towns, box, zoom).map(({ name, rank, longitude, latitude }) =>
      feature({ type: 'Point', coordinates: [longitude, latitude] }, { name, rank }),
    );
    show(followers.towns, near);
    show(followers.grid, zoom < gridZoom ? [] : graticule(box));
    return true;
  };
}

function boxOf(map: MapView): Box {
  const [west, east] = [map.getBounds().getWest(), map.getBounds().getEast()];
  const [south, north] = [map.getBounds().getSouth(), map.getBounds().getNorth()];
  const [wide, high] = [(east - west) * margin, (north - south) * margin];
  return {
    west: west - wide,
    south: Math.max(-85, south - high),
    east: east + wide,
    north: Math.min(85, north + high),
  };
}
