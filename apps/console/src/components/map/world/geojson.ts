/** The subset of RFC 7946 that the built-in world uses. Positions are longitude and latitude in degrees. */
type Position = number[];
type Geometry =
  | { type: 'Point'; coordinates: Position }
  | { type: 'LineString'; coordinates: Position[] }
  | { type: 'Polygon'; coordinates: Position[][] };

export interface Feature {
  type: 'Feature';
  geometry: Geometry;
  properties: Record<string, string | number> | null;
}

export interface FeatureCollection {
  type: 'FeatureCollection';
  features: Feature[];
}

export const collection = (features: Feature[]): FeatureCollection => ({ type: 'FeatureCollection', features });
export const feature = (geometry: Geometry, properties: Feature['properties'] = null): Feature => ({
  type: 'Feature',
  geometry,
  properties,
});
