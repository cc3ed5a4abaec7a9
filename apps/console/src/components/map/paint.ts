import { type Camera, pixelsOf, type Size, seenAt } from './camera.ts';
import { countPixels, haloPixels } from './clusters.ts';
import type { Circle } from './clusters-in.ts';
import { haloOf, mapColors, mapFonts, type Scheme, toneColor } from './map-style.ts';

const northWest = { longitude: -180, latitude: (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI };

/** MapLibre draws the middle of letters this many pixels lower. */
const lettersLower = 1;

interface Picture {
  readonly camera: Camera;
  readonly size: Size;
  readonly scheme: Scheme;
  readonly land: Path2D | undefined;
  readonly circles: readonly Circle[];
}

/** Draws water, land and circles at the resolution of the screen. */
export function paint(canvas: HTMLCanvasElement, { camera, size, scheme, land, circles }: Picture) {
  const sharpness = devicePixelRatio || 1;
  canvas.width = Math.round(size.width * sharpness);
  canvas.height = Math.round(size.height * sharpness);
  const brush = canvas.getContext('2d');
  if (!brush) return;
  brush.scale(sharpness, sharpness);
  brush.fillStyle = mapColors[scheme].water;
  brush.fillRect(0, 0, size.width, size.height);
  if (land) fillLand(brush, land, { camera, size, scheme });
  for (const { x, y, radius, tone } of circles) {
    disc(brush, x, y, radius + haloPixels, haloOf(scheme));
    disc(brush, x, y, radius, toneColor(tone, scheme));
  }
  brush.font = `${countPixels}px ${mapFonts.join(', ')}`;
  brush.fillStyle = mapColors[scheme].count;
  brush.textAlign = 'center';
  brush.textBaseline = 'middle';
  for (const { x, y, count } of circles) if (count) brush.fillText(count, x, y + lettersLower);
}

function disc(brush: CanvasRenderingContext2D, x: number, y: number, radius: number, color: string) {
  brush.beginPath();
  brush.arc(x, y, radius, 0, 2 * Math.PI);
  brush.fillStyle = color;
  brush.fill();
}

/** A wide map shows the world more than once. */
function fillLand(
  brush: CanvasRenderingContext2D,
  land: Path2D,
  { camera, size, scheme }: Pick<Picture, 'camera' | 'size' | 'scheme'>,
) {
  const world = pixelsOf(camera);
  const { x, y } = seenAt(camera, size, northWest);
  const leftmost = x - Math.ceil(x / world) * world;
  brush.fillStyle = mapColors[scheme].land;
  for (let left = leftmost; left < size.width; left += world) {
    brush.save();
    brush.translate(left, y);
    brush.scale(world, world);
    brush.fill(land, 'evenodd');
    brush.restore();
  }
}
