import { Anchor, Skeleton, Text } from '@mantine/core';
import type { Map as MapView } from 'maplibre-gl';
import { lazy, Suspense, useCallback, useRef, useState } from 'react';
import { ErrorBoundary } from '../error-boundary/error-boundary.tsx';
import type { Camera } from './camera.ts';
import { FirstPicture } from './first-picture.tsx';
import classes from './map.module.css';
import type { MapPoint } from './map-point.ts';
import type { WorldMapProps } from './map-props.ts';
import { useTiles } from './use-tiles.ts';

const load = () => import('./map-canvas.tsx');
const MapCanvas = lazy(() => load().then((module) => ({ default: module.MapCanvas })));

/**
 * Prefetches the map for a screen that shows one; not on a phone, where the map is further down and text comes first.
 * The map itself reports failures.
 */
export function preloadMap() {
  if (matchMedia('(max-width: 48em)').matches) return;
  load().catch(() => undefined);
}

/**
 * A map with markers, loaded only when it is near the viewport and not deferred. Works without a network on a built-in
 * world.
 */
export function WorldMap({ isHeld = false, ...props }: WorldMapProps & { isHeld?: boolean }) {
  const { tiles, isUnreachable, giveUp, tryAgain } = useTiles();
  const isFirstDue = props.isClustered === true && !isHeld && !props.isPending && tiles !== undefined;
  const first = useFirstPicture(props.isClustered === true);
  return (
    <div>
      <section className={classes.frame} style={{ height: `min(${props.height}px, 68dvh)` }} aria-label={props.label}>
        <ErrorBoundary>
          {first.isWanted && isFirstDue && (
            <FirstPicture
              points={props.points}
              around={props.around ?? props.points}
              hasTiles={Boolean(tiles)}
              map={first.map}
              onShown={first.onShown}
              onMoved={first.onMoved}
              onOpen={first.onOpen}
            />
          )}
          {isHeld || !first.isShown ? (
            // A map far below the viewport is not loading.
            !isFirstDue && <Skeleton height={props.height} aria-busy={!isHeld} />
          ) : (
            <Suspense fallback={!first.isWanted && <Skeleton height={props.height} />}>
              <MapCanvas
                {...props}
                tiles={tiles}
                onUnreachable={giveUp}
                takeCamera={first.takeCamera}
                takePoint={first.takePoint}
                onReady={first.onReady}
                onDrawn={first.onDrawn}
              />
            </Suspense>
          )}
        </ErrorBoundary>
        {props.legend && <div className={classes.legend}>{props.legend}</div>}
      </section>
      {isUnreachable && (
        <Text c="dimmed" size="sm" mt={4}>
          The map tiles cannot be loaded. This is the built-in map.{' '}
          <Anchor component="button" type="button" inherit onClick={tryAgain}>
            Try again
          </Anchor>
        </Text>
      )}
    </div>
  );
}

/** The state of a map of many points: the preview is shown before WebGL starts and until it has drawn. */
function useFirstPicture(isWanted: boolean) {
  const [isShown, setShown] = useState(!isWanted);
  const [isDrawn, setDrawn] = useState(!isWanted);
  const [map, setMap] = useState<MapView>();
  /** The camera and the clicked point of the preview, for the map that replaces it. */
  const meanwhile = useRef<{ camera?: Camera | undefined; point?: MapPoint | undefined }>({});
  return {
    isWanted: !isDrawn,
    isShown,
    map,
    takeCamera: useCallback(() => {
      const { camera } = meanwhile.current;
      meanwhile.current.camera = undefined;
      return camera;
    }, []),
    takePoint: useCallback(() => {
      const { point } = meanwhile.current;
      meanwhile.current.point = undefined;
      return point;
    }, []),
    onShown: useCallback(() => setShown(true), []),
    onReady: setMap,
    onDrawn: useCallback(() => setDrawn(true), []),
    onMoved: ({ longitude, latitude, zoom }: Camera) => {
      if (map) map.jumpTo({ center: [longitude, latitude], zoom });
      else meanwhile.current.camera = { longitude, latitude, zoom };
    },
    onOpen: (point: MapPoint) => {
      meanwhile.current.point = point;
    },
  };
}
