import { Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { ErrorBoundary } from '../error-boundary/error-boundary.tsx';
import classes from './map.module.css';
import type { MapLine, MapPoint } from './map-point.ts';
import { useTiles } from './use-tiles.ts';

const load = () => import('./map-canvas.tsx');
const MapCanvas = lazy(() => load().then((module) => ({ default: module.MapCanvas })));

/** Fetches the map ahead, for a screen that will show one. A failure is told by the map itself. */
export function preloadMap() {
  load().catch(() => undefined);
}

export interface WorldMapProps {
  /** Names the map for who cannot see it. */
  label: string;
  /** Height in pixels, less where the screen is low, so that the page can still be scrolled beside it. */
  height: number;
  points: readonly MapPoint[];
  /** The points are on their way: the map gets ready for them. */
  isPending?: boolean;
  lines?: readonly MapLine[];
  /** Centre on this place at zoom 15; without it the map fits all points. */
  center?: { latitude: number; longitude: number };
  /** Many points: near ones are drawn as one with their number. */
  isClustered?: boolean;
  /** Content of the bubble that opens at a point. */
  popupOf?: (point: MapPoint) => ReactNode;
  /** Makes the first point a pin that can be dragged, and the map a place to click. */
  onPlace?: (latitude: number, longitude: number) => void;
  /** Laid over the bottom left corner. */
  legend?: ReactNode;
}

/** A map with markers, loaded only when it comes into a page. Works without a network on a built-in world. */
export function WorldMap(props: WorldMapProps) {
  const tiles = useTiles();
  return (
    <section className={classes.frame} style={{ height: `min(${props.height}px, 75dvh)` }} aria-label={props.label}>
      <ErrorBoundary>
        <Suspense fallback={<Skeleton height={props.height} />}>
          <MapCanvas {...props} tiles={tiles} />
        </Suspense>
      </ErrorBoundary>
      {props.legend && <div className={classes.legend}>{props.legend}</div>}
    </section>
  );
}
