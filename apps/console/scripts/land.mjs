// Makes src/components/map/world/land.json, the world behind the maps when no tile server is set. Run it again after an
// update of world-atlas: node apps/console/scripts/land.mjs
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { geoEquirectangular } from 'd3-geo';
import { geoProject } from 'd3-geo-projection';
import { feature } from 'topojson-client';

const atlas = createRequire(import.meta.url)('world-atlas/countries-110m.json');

// The atlas joins polygons across the antimeridian, which a flat map draws as bands around the world. Projecting to
// plain degrees cuts them there.
const degrees = geoEquirectangular()
  .scale(180 / Math.PI)
  .translate([0, 0])
  .precision(0)
  .reflectY(true);
const countries = geoProject(feature(atlas, atlas.objects.countries), degrees);

const rounded = (part) => (typeof part === 'number' ? Math.round(part * 100) / 100 : part.map(rounded));
const features = countries.features
  .filter(({ geometry }) => geometry)
  .map(({ geometry }) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: geometry.type, coordinates: rounded(geometry.coordinates) },
  }));

writeFileSync(
  new URL('../src/components/map/world/land.json', import.meta.url),
  JSON.stringify({ type: 'FeatureCollection', features }),
);
