import { Anchor, Skeleton, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { ErrorBoundary } from '../error-boundary/error-boundary.tsx';
import classes from './map.module.css';
import type { WorldMapProps } from './map-props.ts';
import { useTiles } from './use-tiles.ts';

const load = () => import('./map-canvas.tsx');
const MapCanvas = lazy(() => load().then((module) => ({ default: module.MapCanvas })));

/**
 * Fetches the map ahead, for a screen that will show one; on a phone it is further down, and the words above it come
 * first. A failure is told by the map itself.
 */
export function preloadMap() {
  if (matchMedia('(max-width: 48em)').matches) return;
  load().catch(() => undefined);
}

/** A map with markers, loaded only when it comes into a page and is not held back. Works without a network on a built-in world. */
export function WorldMap({ isHeld = false, ...props }: WorldMapProps & { isHeld?: boolean }) {
  const { tiles, isUnreachable, giveUp, tryAgain } = useTiles();
  return (
    <div>
      <section className={classes.frame} style={{ height: `min(${props.height}px, 75dvh)` }} aria-label={props.label}>
        <ErrorBoundary>
          <Suspense fallback={<Skeleton height={props.height} />}>
            {isHeld ? (
              <Skeleton height={props.height} />
            ) : (
              <MapCanvas {...props} tiles={tiles} onUnreachable={giveUp} />
            )}
          </Suspense>
        </ErrorBoundary>
        {props.legend && <div className={classes.legend}>{props.legend}</div>}
      </section>
      {isUnreachable && (
        <Text c="dimmed" size="sm" mt={4}>
          The map tiles cannot be reached; this is the built-in map.{' '}
          <Anchor component="button" type="button" inherit onClick={tryAgain}>
            Try again
          </Anchor>
        </Text>
      )}
    </div>
  );
}
