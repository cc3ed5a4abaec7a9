import 'maplibre-gl/dist/maplibre-gl.css';
import type { Map as MapView } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import type { Camera } from './camera.ts';
import classes from './map.module.css';
import { hasPosition, type MapPoint } from './map-point.ts';
import type { WorldMapProps } from './map-props.ts';
import type { MapTiles } from './tiles-style.ts';
import { useBuiltIn } from './use-built-in.ts';
import { useClusters } from './use-clusters.ts';
import { useDrawn } from './use-drawn.ts';
import { useLines } from './use-lines.ts';
import { useMap, useScale } from './use-map.ts';
import { useMarkers } from './use-markers.ts';
import { useNearestTown } from './use-nearest-town.ts';
import { usePopup } from './use-popup.ts';
import { useTileLayer } from './use-tile-layer.ts';
import { useCamera, useViewport } from './use-viewport.ts';

interface MapCanvasProps extends WorldMapProps {
  /** Null for the built-in world, undefined until that is known. */
  tiles: MapTiles | null | undefined;
  /** Called when the tiles cannot be loaded. */
  onUnreachable: () => void;
  /** The camera and the clicked point of the preview, applied once. */
  takeCamera: () => Camera | undefined;
  takePoint: () => MapPoint | undefined;
  /** Called when the map can be moved. */
  onReady: (map: MapView | undefined) => void;
  /** Called when all points are drawn, or never will be. */
  onDrawn: () => void;
}

const noPoints: readonly MapPoint[] = [];

/** The map itself. It imports MapLibre: load it lazily. */
export function MapCanvas({
  tiles,
  onUnreachable,
  takeCamera,
  takePoint,
  onReady,
  onDrawn,
  points,
  around = points,
  isPending = false,
  lines,
  center,
  isClustered = false,
  legend,
  popupOf,
  onPlace,
}: MapCanvasProps) {
  const container = useRef<HTMLDivElement>(null);
  const hasTiles = tiles === undefined ? undefined : tiles !== null;
  const cameraFor = useCamera({ points: around, center, hasTiles });
  const { map: empty, isSupported } = useMap(container, cameraFor);
  // Nothing is rendered before the camera is known: each wrong frame delays the right one.
  const map = isPending || tiles === undefined ? undefined : empty;
  const popup = usePopup(map);
  const onOpen = popupOf ? popup.open : undefined;
  useViewport(map, cameraFor, takeCamera);
  useScale(map);
  useTileLayer(map, tiles ?? null, onUnreachable);
  useBuiltIn(map, tiles === null);
  useLines(map, lines);
  useMarkers(map, isClustered ? noPoints : points, { onOpen, onPlace });
  useClusters(map, isClustered ? points : noPoints, onOpen);
  useEffect(() => onReady(map), [map, onReady]);
  useDrawn(map, isSupported, () => {
    const point = takePoint();
    if (point) onOpen?.(point);
    onDrawn();
  });
  const isPlaced = center && hasPosition(center);
  const town = useNearestTown(tiles === null && isPlaced ? center : undefined);
  if (!isSupported)
    return <p className={classes.none}>The map cannot be shown: this browser does not support WebGL.</p>;
  return (
    <>
      <div ref={container} className={classes.canvas} />
      {town && (
        <div className={classes.legend} data-above={legend ? true : undefined}>
          Nearest town: {town}
        </div>
      )}
      {popup.shown && createPortal(popupOf?.(popup.shown.point), popup.shown.element)}
    </>
  );
}
