import { useComputedColorScheme } from '@mantine/core';
import type { Map as MapView } from 'maplibre-gl';
import {
  type MouseEvent,
  type PointerEvent,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type Camera, cameraOver, edgesOf, moved, nearZoom, type Size } from './camera.ts';
import { type Circle, clustersIn } from './clusters-in.ts';
import classes from './map.module.css';
import type { MapPoint } from './map-point.ts';
import { paint } from './paint.ts';
import { useLand } from './use-land.ts';

interface FirstPictureProps {
  points: readonly MapPoint[];
  around: readonly MapPoint[];
  hasTiles: boolean;
  /** The map below it, once it can be moved. */
  map: MapView | undefined;
  /** Called when it is on the screen. */
  onShown: () => void;
  onMoved: (camera: Camera) => void;
  onOpen: (point: MapPoint) => void;
}

/** Movement in pixels that still counts as a click. */
const tremble = 3;

/** Calls once when the painted preview is on the screen. */
function useOnScreen(isPainted: boolean, onShown: () => void) {
  useEffect(() => {
    if (!isPainted) return;
    let timer: ReturnType<typeof setTimeout>;
    // When the next frame begins, the frame with the preview is on the screen.
    const frame = requestAnimationFrame(() => (timer = setTimeout(onShown)));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [isPainted, onShown]);
}

/** Follows the keys and buttons of the map. */
function useMoves(map: MapView | undefined, onMove: (camera: Camera) => void) {
  const follow = useEffectEvent(onMove);
  useEffect(() => {
    const moves = map?.on('move', () => {
      const { lng: longitude, lat: latitude } = map.getCenter();
      follow({ longitude, latitude, zoom: map.getZoom() });
    });
    return () => moves?.unsubscribe();
  }, [map]);
}

/**
 * A preview of the map on a 2D canvas, because WebGL takes long to start. It has the position and camera of the map,
 * can be dragged and clicked, and follows the keys and buttons of the map.
 */
export function FirstPicture({ points, around, hasTiles, map, onShown, onMoved, onOpen }: FirstPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  const land = useLand(!hasTiles);
  const [seen, setSeen] = useState<{ camera: Camera; size: Size }>();
  const circlesAt = useMemo(() => clustersIn(points), [points]);
  const circles = useMemo(() => (seen ? circlesAt(seen.camera, seen.size) : []), [circlesAt, seen]);
  const grip = useRef<{ x: number; y: number; camera: Camera; isMoved: boolean }>(null);

  useLayoutEffect(() => {
    const { clientWidth: width, clientHeight: height } = canvas.current!;
    const edges = edgesOf(around);
    if (edges.west > edges.east) return;
    const size = { width, height };
    setSeen(
      (known) => known ?? { camera: cameraOver(edges, size, hasTiles ? nearZoom.tiles : nearZoom.builtIn), size },
    );
  }, [around, hasTiles]);

  useLayoutEffect(() => {
    if (seen && canvas.current) paint(canvas.current, { ...seen, scheme, land, circles });
  }, [seen, scheme, land, circles]);

  const isPainted = seen !== undefined;
  useOnScreen(isPainted, onShown);

  useMoves(map, (camera) => setSeen((known) => known && { ...known, camera }));

  function look(camera: Camera) {
    setSeen((known) => known && { ...known, camera });
    onMoved(camera);
  }

  function press({ clientX: x, clientY: y, button, pointerType, pointerId }: PointerEvent) {
    // A finger scrolls the page.
    if (!seen || button !== 0 || pointerType !== 'mouse') return;
    grip.current = { x, y, camera: seen.camera, isMoved: false };
    canvas.current!.setPointerCapture(pointerId);
  }

  function drag({ clientX, clientY, buttons }: PointerEvent) {
    canvas.current!.style.cursor = hit({ clientX, clientY }) ? 'pointer' : '';
    const held = grip.current;
    if (!seen || !held || buttons === 0) return;
    const [right, down] = [clientX - held.x, clientY - held.y];
    if (!held.isMoved && Math.hypot(right, down) <= tremble) return;
    held.isMoved = true;
    look(moved(held.camera, seen.size, right, down));
  }

  function click(event: MouseEvent) {
    const wasDrag = grip.current?.isMoved === true;
    grip.current = null;
    const circle = wasDrag ? undefined : hit(event);
    if (!circle) return;
    const opened = circle.opens();
    if ('zoom' in opened) look({ longitude: circle.longitude, latitude: circle.latitude, zoom: opened.zoom });
    else if (opened.point) onOpen(opened.point);
  }

  function hit({ clientX, clientY }: Pick<MouseEvent, 'clientX' | 'clientY'>): Circle | undefined {
    const { left, top } = canvas.current!.getBoundingClientRect();
    return circles.findLast(({ x, y, radius }) => Math.hypot(clientX - left - x, clientY - top - y) <= radius);
  }

  return (
    <canvas
      ref={canvas}
      className={classes.first}
      // The map below has the accessible name and the keys.
      aria-hidden
      data-first-picture={isPainted || undefined}
      onPointerDown={press}
      onPointerMove={drag}
      onClick={click}
    />
  );
}
