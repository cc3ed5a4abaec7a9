import { useEffect, useState } from 'react';
import { nearestTown } from './world/town-search.ts';
import { loadTowns } from './world/world-data.ts';

/** The nearest town of a point, in words; undefined while loading. */
export function useNearestTown(position: { latitude: number; longitude: number } | undefined): string | undefined {
  const [found, setFound] = useState<{ of: string; text: string | undefined }>();
  const of = position && `${position.latitude} ${position.longitude}`;
  useEffect(() => {
    if (!of) return;
    let isGone = false;
    const [latitude = 0, longitude = 0] = of.split(' ').map(Number);
    loadTowns().then(
      (towns) => !isGone && setFound({ of, text: nearestTown(towns, { latitude, longitude }) }),
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [of]);
  return found && found.of === of ? found.text : undefined;
}
