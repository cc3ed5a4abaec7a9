import { useComputedColorScheme } from '@mantine/core';
import type { GeoJSONSource, Map as MapView } from 'maplibre-gl';
import { useEffect } from 'react';
import { countPixels } from './clusters.ts';
import { draw } from './draw.ts';
import { mapFonts } from './map-style.ts';
import type { Box } from './world/cells.ts';
import { collection } from './world/geojson.ts';
import { graticule } from './world/graticule.ts';
import {
  firstBorders,
  firstDrawing,
  firstLayers,
  gridDrawing,
  gridSource,
  outlineSource,
  outlineZoom,
  worldDrawing,
} from './world/world-style.ts';

/** Zoom from which the grid of degrees is drawn. */
const gridZoom = 8;
/** The margin of the grid around the view, as a share of the view: it becomes visible first when the map is moved. */
const margin = 0.4;

/** Delay between the first outline and the details, so that the page responds and software rendering can finish. */
const restMs = 300;

/**
 * The built-in world: land at once; borders, coasts, waters, roads and names after land and points are drawn.
 * MapLibre's worker cuts them for the view. Parts that cannot be loaded are omitted.
 */
export function useBuiltIn(map: MapView | undefined, isShown: boolean) {
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    if (!map || !isShown) return;
    const removals = [draw(map, firstDrawing(scheme))];
    let isGone = false;
    map.once('idle', async () => {
      await Promise.all([new Promise((resolve) => setTimeout(resolve, restMs)), lettersOfTowns()]);
      if (isGone) return;
      removals.unshift(draw(map, firstBorders(scheme)));
      removals.unshift(draw(map, worldDrawing(scheme)), draw(map, gridDrawing(scheme)));
      removals.unshift(replaceFirst(map), followGrid(map));
    });
    return () => {
      isGone = true;
      for (const remove of removals) remove();
    };
  }, [map, scheme, isShown]);
}

/** Names of towns have letters of the extended subset of Inter; MapLibre draws each letter once, with the fonts it finds. */
async function lettersOfTowns() {
  await document.fonts.load(`${countPixels}px ${mapFonts[0]}`, 'ł').catch(() => undefined);
}

/** Close up, the first outline stays until the details replace it. */
function replaceFirst(map: MapView): () => void {
  const failures = map.on('error', ({ error, ...event }) => {
    if (!('sourceId' in event)) console.error(error);
    else if (event.sourceId === outlineSource) end();
  });
  const arrivals = map.on('sourcedata', ({ sourceId, tile }) => {
    if (sourceId !== outlineSource || !tile || !map.isSourceLoaded(outlineSource)) return;
    for (const layer of firstLayers) map.setLayerZoomRange(layer, 0, outlineZoom);
    end();
  });
  const end = () => arrivals.unsubscribe();
  return () => {
    failures.unsubscribe();
    end();
  };
}

/** Draws the grid of degrees for the view. */
function followGrid(map: MapView): () => void {
  const follow = () => {
    const features = map.getZoom() < gridZoom ? [] : graticule(boxOf(map));
    void map.getSource<GeoJSONSource>(gridSource)?.setData(collection(features));
  };
  follow();
  const moves = map.on('moveend', follow);
  return () => moves.unsubscribe();
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
