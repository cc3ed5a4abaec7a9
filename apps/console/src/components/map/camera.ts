/** The view of a map: its centre and its zoom as MapLibre counts it, where the world is 512 pixels wide at 0. */
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

/** Zoom for a single point: 15 with tiles of 256 pixels, one less as MapLibre counts. */
export const placeZoom = 14;
/** Closest zoom for points: streets are visible with tiles; the built-in world shows towns. */
export const nearZoom = { tiles: placeZoom, builtIn: 10 };
/** Margin around the fitted points, in pixels. */
const padding = 56;
const worldPixels = 512;

/** Without points, west is east of east. */
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

/** Fits the bounds, no closer than `closest`, without showing anything beyond the poles. */
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

/** The camera moved by pixels, like dragging the map. */
export function moved(camera: Camera, size: Size, right: number, down: number): Camera {
  const middle = onWorld(camera);
  const pixels = pixelsOf(camera);
  const position = placeAt({ x: middle.x - right / pixels, y: middle.y - down / pixels });
  return within({ ...position, zoom: camera.zoom }, size.height);
}

/** The position of a point in pixels from the left and the top. */
export function seenAt(camera: Camera, { width, height }: Size, position: Coordinates) {
  const [middle, at] = [onWorld(camera), onWorld(position)];
  const pixels = pixelsOf(camera);
  return { x: width / 2 + (at.x - middle.x) * pixels, y: height / 2 + (at.y - middle.y) * pixels };
}

/** Width of the world in pixels. */
export const pixelsOf = ({ zoom }: Camera) => worldPixels * 2 ** zoom;

/** The visible bounds; east may be beyond 180 degrees. */
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

/** The world is at least as high as the map and fills it. */
function within(camera: Camera, height: number): Camera {
  const zoom = Math.max(camera.zoom, Math.log2(height / worldPixels), 0);
  const half = height / 2 / (worldPixels * 2 ** zoom);
  const { x, y } = onWorld(camera);
  return { ...placeAt({ x, y: Math.min(Math.max(y, half), 1 - half) }), zoom };
}

/** From 0 (west, north) to 1, in the Mercator projection. */
export function onWorld({ longitude, latitude }: Coordinates) {
  const angle = Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360);
  return { x: (180 + longitude) / 360, y: (180 - (180 / Math.PI) * Math.log(angle)) / 360 };
}

function placeAt({ x, y }: { x: number; y: number }): Coordinates {
  const angle = Math.exp(((180 - y * 360) * Math.PI) / 180);
  return { longitude: x * 360 - 180, latitude: (360 / Math.PI) * Math.atan(angle) - 90 };
}
