interface RoutePath {
  readonly fullPath: string;
}

/** Of these the one that has most of the way in common with an address; of several the shortest, of those the first. */
export function nearestOf<One extends RoutePath>(places: readonly One[], address: string): One | undefined {
  const here = wordsOf(address);
  const farness = ({ fullPath }: RoutePath) => {
    const words = wordsOf(fullPath);
    const parts = here.findIndex((word, nth) => word !== words[nth]);
    return { common: parts === -1 ? here.length : parts, length: words.length };
  };
  const [nearest] = places
    .map((place) => ({ place, ...farness(place) }))
    .sort((one, other) => other.common - one.common || one.length - other.length);
  return nearest?.place;
}

const wordsOf = (path: string) => path.split('/').filter(Boolean);
