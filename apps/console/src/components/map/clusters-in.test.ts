import { expect, it } from 'vitest';
import { cameraOver, edgesOf, seenAt } from './camera.ts';
import { clustersIn } from './clusters-in.ts';
import type { MapPoint, PointTone } from './map-point.ts';

const size = { width: 800, height: 600 };
const pointAt = (id: string, longitude: number, latitude: number, tone: PointTone): MapPoint => ({
  id,
  label: id,
  longitude,
  latitude,
  tone,
});
const points = [
  ...Array.from({ length: 12 }, (_, index) => pointAt(`near-${index}`, 5 + index / 1000, 52, 'active')),
  pointAt('dead', 5, 52.001, 'inactive'),
  pointAt('lonely', 20, 45, 'never'),
];
const camera = cameraOver(edgesOf(points), size, 10);
const circles = clustersIn(points)(camera, size);

it('merges near points into one circle with their number and the worst of their states', () => {
  const together = circles.find(({ count }) => count !== '')!;
  expect(together).toMatchObject({ count: '13', radius: 18, tone: 'inactive' });
  expect(together.opens()).toMatchObject({ zoom: expect.any(Number) as number });
});

it('leaves a single point at its position', () => {
  const alone = circles.find(({ count }) => count === '')!;
  expect(alone).toMatchObject({ radius: 8, tone: 'never' });
  const { x, y } = seenAt(camera, size, points.at(-1)!);
  expect([alone.x, alone.y].map(Math.round)).toEqual([x, y].map(Math.round));
  expect(alone.opens()).toMatchObject({ point: { id: 'lonely' } });
});

it('abbreviates thousands', () => {
  const many = Array.from({ length: 1250 }, (_, index) => pointAt(String(index), 5 + index / 1e6, 52, 'plain'));
  const [circle] = clustersIn(many)({ longitude: 5, latitude: 52, zoom: 3 }, size);
  expect(circle).toMatchObject({ count: '1.3k', radius: 28, tone: 'plain' });
});
