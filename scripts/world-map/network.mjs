// Roads and inner borders as a network on a coarse grid: what lies closer together than the grid is one.

const radians = (degrees) => (degrees * Math.PI) / 180;

/** Kilometres over the ground between two places in degrees, near enough for neighbours. */
export function kilometres([west, south], [east, north]) {
  return 6371 * Math.hypot(radians(north - south), radians(east - west) * Math.cos(radians((south + north) / 2)));
}

/**
 * Out of pairs of places: `places` on the grid, in degrees, and for each of them the `links` to its neighbours.
 * `step`: how many fields of the grid make a degree.
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

/** The same places without links. */
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

/** The ways from one junction or end to the next. */
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
  // Junctions first, then what is left: rings without one.
  for (const wanted of [true, false])
    for (const [place, neighbours] of links.entries()) {
      if (isJunction(place) !== wanted) continue;
      for (const neighbour of neighbours) if (!taken[place].has(neighbour)) chains.push(follow(place, neighbour));
    }
  return chains;
}

/** Each way with no more bends than it takes to stay within the tolerance, in degrees. Junctions stay. */
export function straightened(network, tolerance) {
  const straight = emptied(network);
  for (const chain of chainsOf(network)) {
    const bends = withoutBends(network.places, chain, tolerance);
    for (const [index, place] of bends.slice(1).entries()) link(straight, bends[index], place);
  }
  return straight;
}

/** Douglas and Peucker. */
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

/** Lines in degrees that pass each link once, going straight on at junctions: few lines take few letters. */
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
  // Where an odd number of ways meet one of them has to end; rings are left for last.
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
