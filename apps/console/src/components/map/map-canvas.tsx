import 'maplibre-gl/dist/maplibre-gl.css';
import { useRef } from 'react';
import { createPortal } from 'react-dom';
import classes from './map.module.css';
import type { WorldMapProps } from './map.tsx';
import type { MapPoint } from './map-point.ts';
import { useClusters } from './use-clusters.ts';
import { useLines } from './use-lines.ts';
import { useMap } from './use-map.ts';
import { useMarkers } from './use-markers.ts';
import { usePopup } from './use-popup.ts';
import { useTiles } from './use-tiles.ts';
import { useViewport } from './use-viewport.ts';

const noPoints: readonly MapPoint[] = [];

/** The map itself, with all of MapLibre behind it: load it lazily. */
export function MapCanvas({ points, lines, center, isClustered = false, popupOf, onPlace }: WorldMapProps) {
  const tiles = useTiles();
  const container = useRef<HTMLDivElement>(null);
  const { map, isSupported } = useMap(container, tiles);
  const popup = usePopup(map);
  const onOpen = popupOf ? popup.open : undefined;
  useViewport(map, points, center, Boolean(tiles));
  useLines(map, lines);
  useMarkers(map, isClustered ? noPoints : points, { onOpen, onPlace });
  useClusters(map, isClustered ? points : noPoints, onOpen);
  if (!isSupported) return <p className={classes.none}>The map cannot be drawn: this browser offers no WebGL.</p>;
  return (
    <>
      <div ref={container} className={classes.canvas} />
      {popup.shown && createPortal(popupOf?.(popup.shown.point), popup.shown.element)}
    </>
  );
}
