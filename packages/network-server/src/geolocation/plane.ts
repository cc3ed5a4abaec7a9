/**
 * Converts between coordinates and metres around a point on the ellipsoid of WGS 84, accurate for some hundred
 * kilometres.
 */

export interface Coordinates {
  /** Degrees. */
  latitude: number;
  longitude: number;
  /** Metres above the ellipsoid. */
  altitude: number;
}

/** Metres east and north of the centre of a plane. */
export interface Point {
  east: number;
  north: number;
}

export interface Plane {
  pointOf(position: Coordinates): Point;
  placeOf(point: Point, altitude: number): Coordinates;
}

const equator = 6_378_137;
const flattening = 1 / 298.257_223_563;
const squaredEccentricity = flattening * (2 - flattening);
const radians = Math.PI / 180;

/** Radius of curvature across the meridian. */
const acrossAt = (latitude: number) => equator / Math.sqrt(1 - squaredEccentricity * Math.sin(latitude * radians) ** 2);

export function planeAround({ latitude, longitude }: Coordinates): Plane {
  const across = acrossAt(latitude);
  const along = (across ** 3 * (1 - squaredEccentricity)) / equator ** 2;
  const eastOfDegree = radians * across * Math.max(Math.cos(latitude * radians), 1e-6);
  const northOfDegree = radians * along;
  return {
    pointOf: (position) => ({
      east: turned(position.longitude - longitude) * eastOfDegree,
      north: (position.latitude - latitude) * northOfDegree,
    }),
    placeOf: ({ east, north }, altitude) => ({
      latitude: Math.min(90, Math.max(-90, latitude + north / northOfDegree)),
      longitude: turned(longitude + east / eastOfDegree),
      altitude,
    }),
  };
}

/** The straight distance of two points, in metres. */
export function metresBetween(a: Coordinates, b: Coordinates): number {
  const [from, to] = [inSpace(a), inSpace(b)];
  return Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
}

function inSpace({ latitude, longitude, altitude }: Coordinates): [number, number, number] {
  const across = acrossAt(latitude);
  const [sin, cos] = [Math.sin(latitude * radians), Math.cos(latitude * radians)];
  const fromAxis = (across + altitude) * cos;
  return [
    fromAxis * Math.cos(longitude * radians),
    fromAxis * Math.sin(longitude * radians),
    (across * (1 - squaredEccentricity) + altitude) * sin,
  ];
}

/** Degrees between -180 and 180. */
const turned = (degrees: number) => degrees - 360 * Math.round(degrees / 360);
