/** Where a map looks: the place in its middle and how near, as MapLibre counts zoom, whose world is 512 pixels at 0. */
export interface Camera {
  readonly longitude: number;
  readonly latitude: number;
  readonly zoom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** The zoom of a place that the map is about: 15 where tiles of 256 pixels are counted, one less where MapLibre counts. */
export const placeZoom = 14;
/** How near points are looked at: streets are in sight then, if there are tiles; the built-in world has towns. */
export const nearZoom = { tiles: placeZoom, builtIn: 10 };
/** Pixels that are left free around what is looked at. */
const padding = 56;
const worldPixels = 512;

/** West is east of east when there is no place. */
export interface Edges {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export function edgesOf(places: readonly Coordinates[]): Edges {
  const edges = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  for (const { latitude, longitude } of places) {
    edges.west = Math.min(edges.west, longitude);
    edges.east = Math.max(edges.east, longitude);
    edges.south = Math.min(edges.south, latitude);
    edges.north = Math.max(edges.north, latitude);
  }
  return edges;
}

/** Looks at all between the edges, no nearer than `closest`, and at nothing beyond the poles. */
export function cameraOver({ west, south, east, north }: Edges, { width, height }: Size, closest: number): Camera {
  if (west === east && south === north) {
    const zoom = west === 0 && south === 0 ? 1 : closest;
    return within({ longitude: west, latitude: south, zoom }, height);
  }
  const [from, to] = [onWorld({ longitude: west, latitude: north }), onWorld({ longitude: east, latitude: south })];
  const scale = Math.min(room(width) / (to.x - from.x), room(height) / (to.y - from.y));
  const zoom = Math.min(Math.log2(scale / worldPixels), closest);
  return within({ ...placeAt({ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }), zoom }, height);
}

const room = (pixels: number) => Math.max(pixels - 2 * padding, 1);

/** The same camera moved by pixels, as dragging the map does. */
export function moved(camera: Camera, size: Size, right: number, down: number): Camera {
  const middle = onWorld(camera);
  const pixels = pixelsOf(camera);
  const place = placeAt({ x: middle.x - right / pixels, y: middle.y - down / pixels });
  return within({ ...place, zoom: camera.zoom }, size.height);
}

/** Pixels from the left and the top where the camera sees a place. */
export function seenAt(camera: Camera, { width, height }: Size, place: Coordinates) {
  const [middle, at] = [onWorld(camera), onWorld(place)];
  const pixels = pixelsOf(camera);
  return { x: width / 2 + (at.x - middle.x) * pixels, y: height / 2 + (at.y - middle.y) * pixels };
}

/** How wide the world is. */
export const pixelsOf = ({ zoom }: Camera) => worldPixels * 2 ** zoom;

/** The edges of what is in sight; east may lie beyond 180 degrees. */
export function inSight(camera: Camera, { width, height }: Size): Edges {
  const middle = onWorld(camera);
  const pixels = pixelsOf(camera);
  const [x, y] = [width / 2 / pixels, height / 2 / pixels];
  const northWest = placeAt({ x: middle.x - x, y: middle.y - y });
  const southEast = placeAt({ x: middle.x + x, y: middle.y + y });
  return {
    west: northWest.longitude,
    north: northWest.latitude,
    east: southEast.longitude,
    south: southEast.latitude,
  };
}

/** The world is at least as high as the map, and fills it. */
function within(camera: Camera, height: number): Camera {
  const zoom = Math.max(camera.zoom, Math.log2(height / worldPixels), 0);
  const half = height / 2 / (worldPixels * 2 ** zoom);
  const { x, y } = onWorld(camera);
  return { ...placeAt({ x, y: Math.min(Math.max(y, half), 1 - half) }), zoom };
}

/** From 0 in the west and north to 1, by Mercator. */
export function onWorld({ longitude, latitude }: Coordinates) {
  const angle = Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360);
  return { x: (180 + longitude) / 360, y: (180 - (180 / Math.PI) * Math.log(angle)) / 360 };
}

function placeAt({ x, y }: { x: number; y: number }): Coordinates {
  const angle = Math.exp(((180 - y * 360) * Math.PI) / 180);
  return { longitude: x * 360 - 180, latitude: (360 / Math.PI) * Math.atan(angle) - 90 };
}
