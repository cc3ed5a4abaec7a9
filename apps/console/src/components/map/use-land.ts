import { useEffect, useState } from 'react';
import { onWorld } from './camera.ts';
import landURL from './world/land.json?url';

type Polygon = readonly (readonly (readonly [longitude: number, latitude: number])[])[];
type Geometry = { type: 'Polygon'; coordinates: Polygon } | { type: 'MultiPolygon'; coordinates: readonly Polygon[] };

let fetched: Promise<Path2D> | undefined;

/** A coarse outline of land, with a world 1 wide and high; undefined while loading or when loading has failed. */
export function useLand(isWanted: boolean): Path2D | undefined {
  const [land, setLand] = useState<Path2D>();
  useEffect(() => {
    if (!isWanted) return;
    let isGone = false;
    loadLand().then(
      (found) => !isGone && setLand(found),
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [isWanted]);
  return land;
}

function loadLand(): Promise<Path2D> {
  fetched ??= read().catch((error: unknown) => {
    fetched = undefined;
    throw error;
  });
  return fetched;
}

async function read(): Promise<Path2D> {
  const answer = await fetch(landURL);
  const { features } = (await answer.json()) as { features: readonly { geometry: Geometry }[] };
  const path = new Path2D();
  for (const { geometry } of features)
    for (const rings of geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates)
      for (const ring of rings) {
        for (const [longitude, latitude] of ring) {
          const { x, y } = onWorld({ longitude, latitude });
          path.lineTo(x, y);
        }
        path.closePath();
      }
  return path;
}
