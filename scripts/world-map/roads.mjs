// Extracts the main roads of the world from a routing graph (nodes, and the neighbours of each of them).
import { chainsOf, emptied, kilometres, lengthOf, link, networkOf, straightened, unlink } from './network.mjs';

/** The longest straight link in kilometres; longer links are not roads. */
const longestKm = 300;
/** A long road whose length exceeds the straight line by this factor has lost its bends and is removed. */
const mostDetour = 1.3;
/** Shortest dead end in kilometres; shorter ones are removed. */
const deadEndKm = 8;
/** The second path to the same junction, when hardly longer, is the other carriageway or a street. */
const secondWay = { shortKm: 6, longKm: 60, mostDetour: 1.25 };
/** Longest side in kilometres of triangles that are merged to a junction. */
const junctionKm = 4;

/** By inhabitants: how many similar cities a city is connected to, and the maximum distance in kilometres. */
const journeys = [
  { least: 50_000, neighbours: 4, km: 600 },
  { least: 200_000, neighbours: 6, km: 1000 },
  { least: 1_000_000, neighbours: 6, km: 2000 },
];

/**
 * `graph`: for each place, the numbers of its neighbours and their distance in kilometres; `places`: latitude and
 * longitude. Returns two networks without a common link: `far` connects cities, `near` has the other roads.
 */
export function roadsOf({ graph, places }, towns, step) {
  const degrees = places.map(([latitude, longitude]) => [longitude, latitude]);
  const pairs = graph.flatMap((neighbours, from) =>
    Object.entries(neighbours)
      .map(([to, km]) => [from, Number(to), km])
      .filter(([, to, km]) => to > from && isRoad(kilometres(degrees[from], degrees[to]), km))
      .map(([, to]) => [degrees[from], degrees[to]]),
  );
  const network = networkOf(pairs, step);
  thinOut(network);
  const roads = straightened(network, 1 / step);
  const far = emptied(roads);
  for (const journey of journeys) lead(far, roads, { ...journey, towns });
  for (const [place, neighbours] of far.links.entries()) for (const next of neighbours) unlink(roads, place, next);
  return { far: straightened(far, 1 / step), near: roads };
}

const isRoad = (straightKm, km) => straightKm < longestKm && (straightKm < 5 || km <= mostDetour * straightKm);

/** Removes details that only a street map shows, until none remain. */
function thinOut(network) {
  for (let removed = 1; removed > 0; ) removed = withoutTriangles(network) + withoutDoubles(network);
}

function withoutDoubles(network) {
  const { links } = network;
  const shortest = new Map();
  let removed = 0;
  const remove = (chain) => {
    removed += 1;
    for (const [index, place] of chain.slice(1).entries()) unlink(network, chain[index], place);
  };
  for (const chain of chainsOf(network)) {
    const [from, to] = [chain[0], chain.at(-1)];
    const km = lengthOf(network, chain);
    const isDeadEnd = links[from].size === 1 || links[to].size === 1;
    if (from === to ? km < secondWay.shortKm : isDeadEnd && km < deadEndKm) remove(chain);
    else if (from !== to) {
      const key = [from, to].sort((a, b) => a - b).join();
      const other = shortest.get(key);
      const [short, long] = other && other.km > km ? [km, other.km] : [other?.km ?? 0, km];
      const isSecond = long < secondWay.shortKm || (long < secondWay.longKm && long < secondWay.mostDetour * short);
      if (other && isSecond) remove(other.km > km ? other.chain : chain);
      if (!other || (isSecond && other.km > km)) shortest.set(key, { chain, km });
    }
  }
  return removed;
}

function withoutTriangles(network) {
  const { links } = network;
  let removed = 0;
  for (const [a, neighbours] of links.entries())
    for (const b of [...neighbours].filter((each) => each > a))
      for (const c of [...links[b]].filter((each) => each > b)) {
        if (!links[a].has(b) || !links[a].has(c) || !links[b].has(c)) continue;
        const sides = [
          [a, b],
          [a, c],
          [b, c],
        ].sort((one, other) => lengthOf(network, other) - lengthOf(network, one));
        if (lengthOf(network, sides[0]) > junctionKm) continue;
        unlink(network, ...sides[0]);
        removed += 1;
      }
  return removed;
}

/** The shortest paths from each city to its nearest cities. */
function lead(ways, network, { towns, least, neighbours, km: longest }) {
  const cities = towns.filter(({ population }) => population >= least).map(({ loc }) => loc.coordinates);
  const at = new Set(cities.map((city) => nearestPlace(network, city)).filter((place) => place !== undefined));
  for (const start of at) {
    const km = new Map([[start, 0]]);
    const before = new Map();
    const queue = [[0, start]];
    const done = new Set();
    for (let found = 0; queue.length > 0 && found <= neighbours; ) {
      const [far, here] = pop(queue);
      if (far > longest) break;
      if (done.has(here)) continue;
      done.add(here);
      if (at.has(here)) {
        found += 1;
        for (let place = here; before.has(place); place = before.get(place)) link(ways, place, before.get(place));
      }
      for (const next of network.links[here]) {
        const distance = far + kilometres(network.places[here], network.places[next]);
        if (distance >= (km.get(next) ?? Number.POSITIVE_INFINITY)) continue;
        km.set(next, distance);
        before.set(next, here);
        push(queue, [distance, next]);
      }
    }
  }
}

/** The road node within a few kilometres of a city; undefined when there is none. */
function nearestPlace(network, city) {
  network.byField ??= Map.groupBy(
    [...network.places.keys()].filter((place) => network.links[place].size > 0),
    (place) => fieldOf(network.places[place]),
  );
  const around = [-0.1, 0, 0.1].flatMap((east) => [-0.1, 0, 0.1].map((north) => [city[0] + east, city[1] + north]));
  const near = around.flatMap((field) => network.byField.get(fieldOf(field)) ?? []);
  const distance = (place) => kilometres(network.places[place], city);
  return near.length > 0 ? near.reduce((best, place) => (distance(place) < distance(best) ? place : best)) : undefined;
}

const fieldOf = ([longitude, latitude]) => `${Math.floor(longitude * 10)},${Math.floor(latitude * 10)}`;

/** A heap with the smallest element first. */
function push(heap, entry) {
  let at = heap.length;
  for (let parent; at > 0 && heap[(parent = (at - 1) >> 1)][0] > entry[0]; at = parent) heap[at] = heap[parent];
  heap[at] = entry;
}

function pop(heap) {
  const [least] = heap;
  const last = heap.pop();
  if (heap.length === 0) return least;
  let at = 0;
  for (let child; (child = 2 * at + 1) < heap.length; at = child) {
    if (child + 1 < heap.length && heap[child + 1][0] < heap[child][0]) child += 1;
    if (heap[child][0] >= last[0]) break;
    heap[at] = heap[child];
  }
  heap[at] = last;
  return least;
}
