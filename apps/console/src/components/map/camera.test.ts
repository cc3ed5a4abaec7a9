import { expect, it } from 'vitest';
import { cameraOver, edgesOf, inSight, moved, seenAt } from './camera.ts';

const size = { width: 1086, height: 598 };
const europe = [
  { longitude: 0, latitude: 45 },
  { longitude: 19.99, latitude: 54.99 },
];

it('fits all points with a margin around them', () => {
  const camera = cameraOver(edgesOf(europe), size, 10);
  const [southWest, northEast] = europe.map((position) => seenAt(camera, size, position));
  expect(southWest!.y).toBeCloseTo(size.height - 56);
  expect(northEast!.y).toBeCloseTo(56);
  expect(southWest!.x + northEast!.x).toBeCloseTo(size.width);
});

it('shows a single point no closer than the limit, and the whole world without points', () => {
  const position = { longitude: 5.1, latitude: 52.1 };
  expect(cameraOver(edgesOf([position]), size, 10)).toMatchObject({ zoom: 10 });
  expect(seenAt(cameraOver(edgesOf([position]), size, 10), size, position).x).toBeCloseTo(size.width / 2);
  expect(cameraOver(edgesOf([{ longitude: 0, latitude: 0 }]), size, 10).zoom).toBe(1);
});

it('shows nothing beyond the poles', () => {
  const world = edgesOf([
    { longitude: -179, latitude: -84 },
    { longitude: 179, latitude: 84 },
  ]);
  const low = cameraOver(world, { width: 300, height: 600 }, 10);
  expect(512 * 2 ** low.zoom).toBeCloseTo(600);
  const dragged = moved(cameraOver(edgesOf(europe), size, 10), size, 0, 1e6);
  expect(inSight(dragged, size).north).toBeLessThan(85.06);
});

it('moves by drag distance', () => {
  const camera = cameraOver(edgesOf(europe), size, 10);
  const before = seenAt(camera, size, europe[0]!);
  const after = seenAt(moved(camera, size, 30, -20), size, europe[0]!);
  expect(after.x - before.x).toBeCloseTo(30);
  expect(after.y - before.y).toBeCloseTo(-20);
});
