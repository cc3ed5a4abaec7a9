// Roads and inner borders as a network on a coarse grid: points in the same grid cell are merged.

const radians = (degrees) => (degrees * Math.PI) / 180;

/** Approximate distance in kilometres between two nearby places in degrees. */
export function kilometres([west, south], [east, north]) {
  return 6371 * Math.hypot(radians(north - south), radians(east - west) * Math.cos(radians((south + north) / 2)));
}

/**
 * Creates a network from pairs of places: `places` on the grid in degrees, and the `links` of each place to its
 * neighbours. `step`: grid cells per degree.
 */
export function networkOf(pairs, step) {
  const known = new Map();
  const network = { step, places: [], links: [] };
  const placeOf = (degrees) => {
    const [x, y] = degrees.map((one) => Math.round(one * step));
    const key = x * 1e6 + y;
    if (!known.has(key)) {
      known.set(key, network.places.length);
      network.places.push([x / step, y / step]);
      network.links.push(new Set());
    }
    return known.get(key);
  };
  for (const [from, to] of pairs) link(network, placeOf(from), placeOf(to));
  return network;
}

/** A network of the same places without links. */
export const emptied = ({ step, places }) => ({ step, places, links: places.map(() => new Set()) });

export function link({ links }, a, b) {
  if (a === b) return;
  links[a].add(b);
  links[b].add(a);
}

export function unlink({ links }, a, b) {
  links[a].delete(b);
  links[b].delete(a);
}

export const lengthOf = ({ places }, path) =>
  path.slice(1).reduce((sum, place, index) => sum + kilometres(places[path[index]], places[place]), 0);

/** The paths between adjacent junctions or ends. */
export function chainsOf({ links }) {
  const taken = links.map(() => new Set());
  const isJunction = (place) => links[place].size !== 2;
  const chains = [];
  function follow(from, to) {
    const path = [from];
    for (let [before, here] = [from, to]; ; ) {
      taken[before].add(here);
      taken[here].add(before);
      path.push(here);
      if (isJunction(here) || here === from) return path;
      const [one, other] = links[here];
      [before, here] = [here, one === before ? other : one];
    }
  }
  // Paths from junctions first, then rings without a junction.
  for (const wanted of [true, false])
    for (const [place, neighbours] of links.entries()) {
      if (isJunction(place) !== wanted) continue;
      for (const neighbour of neighbours) if (!taken[place].has(neighbour)) chains.push(follow(place, neighbour));
    }
  return chains;
}

/** Simplifies each path within a tolerance in degrees. Junctions remain. */
export function straightened(network, tolerance) {
  const straight = emptied(network);
  for (const chain of chainsOf(network)) {
    const bends = withoutBends(network.places, chain, tolerance);
    for (const [index, place] of bends.slice(1).entries()) link(straight, bends[index], place);
  }
  return straight;
}

/** The Douglas–Peucker algorithm. */
function withoutBends(places, path, tolerance) {
  if (path.length < 3) return path;
  const [[west, south], [east, north]] = [places[path[0]], places[path.at(-1)]];
  const shrink = Math.cos(radians(south));
  const [wide, high] = [(east - west) * shrink, north - south];
  const long = wide ** 2 + high ** 2;
  let [farthest, at] = [-1, 0];
  for (const [index, place] of path.slice(1, -1).entries()) {
    const [x, y] = [(places[place][0] - west) * shrink, places[place][1] - south];
    const along = long ? Math.max(0, Math.min(1, (x * wide + y * high) / long)) : 0;
    const off = Math.hypot(x - along * wide, y - along * high);
    if (off > farthest) [farthest, at] = [off, index + 1];
  }
  if (farthest <= tolerance && path[0] !== path.at(-1)) return [path[0], path.at(-1)];
  return [
    ...withoutBends(places, path.slice(0, at + 1), tolerance).slice(0, -1),
    ...withoutBends(places, path.slice(at), tolerance),
  ];
}

/** Lines in degrees that pass each link once and go straight on at junctions, because few lines need few letters. */
export function linesOf({ places, links }) {
  const left = links.map((neighbours) => new Set(neighbours));
  const network = { links: left };
  function go(start) {
    const path = [start];
    for (let here = start; left[here].size > 0; ) {
      const next = straightest(places, path.at(-2), here, [...left[here]]);
      unlink(network, here, next);
      path.push(next);
      here = next;
    }
    return path;
  }
  const lines = [];
  // A path has to end where an odd number of paths meet; rings come last.
  for (const isWanted of [({ size }) => size % 2 === 1, ({ size }) => size > 0])
    for (const place of places.keys()) while (isWanted(left[place])) lines.push(go(place).map((each) => places[each]));
  return lines;
}

function straightest(places, before, here, nexts) {
  if (before === undefined || nexts.length === 1) return nexts[0];
  const bearing = (from, to) => Math.atan2(places[to][1] - places[from][1], places[to][0] - places[from][0]);
  const wanted = bearing(before, here);
  const turn = (next) => Math.abs(((bearing(here, next) - wanted + 3 * Math.PI) % (2 * Math.PI)) - Math.PI);
  return nexts.reduce((best, next) => (turn(next) < turn(best) ? next : best));
}
