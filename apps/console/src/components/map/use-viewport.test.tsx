import { renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { MapPoint } from './map-point.ts';
import { useCamera } from './use-viewport.ts';

const size = { width: 800, height: 600 };
// Streets apart: with tiles the map is closer than without.
const points: MapPoint[] = [5, 5.001].map((longitude) => ({
  id: String(longitude),
  label: '',
  longitude,
  latitude: 52,
}));

const cameras = (hasTiles: boolean | undefined, around = points) =>
  renderHook(
    (wanted: boolean | undefined) => useCamera({ points: around, center: undefined, hasTiles: wanted })(size),
    {
      initialProps: hasTiles,
    },
  );

it('has no camera before it is known whether there are tiles, and then its final one', () => {
  const { result, rerender } = cameras(undefined);
  expect(result.current).toBeUndefined();
  rerender(true);
  const withTiles = result.current;
  expect(withTiles?.zoom).toBeGreaterThan(10);
  rerender(false);
  expect(result.current).toEqual(withTiles);
});

it('keeps the camera of the built-in world when tiles are reached later', () => {
  const { result, rerender } = cameras(false);
  const builtIn = result.current;
  expect(builtIn?.zoom).toBe(10);
  rerender(true);
  expect(result.current).toEqual(builtIn);
});

it('has no camera without points', () => {
  expect(cameras(false, []).result.current).toBeUndefined();
});
