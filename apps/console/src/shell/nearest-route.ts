interface RoutePath {
  readonly fullPath: string;
}

/** The route that shares the longest path with an address; among several the shortest, among those the first. */
export function nearestRoute<One extends RoutePath>(places: readonly One[], address: string): One | undefined {
  const here = wordsOf(address);
  const farness = ({ fullPath }: RoutePath) => {
    const words = wordsOf(fullPath);
    const parts = here.findIndex((word, nth) => word !== words[nth]);
    return { common: parts === -1 ? here.length : parts, length: words.length };
  };
  const [nearest] = places
    .map((route) => ({ route, ...farness(route) }))
    .sort((one, other) => other.common - one.common || one.length - other.length);
  return nearest?.route;
}

const wordsOf = (path: string) => path.split('/').filter(Boolean);
