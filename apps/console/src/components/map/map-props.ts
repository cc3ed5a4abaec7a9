import type { ReactNode } from 'react';
import type { MapLine, MapPoint } from './map-point.ts';

export interface WorldMapProps {
  /** Names the map for who cannot see it. */
  label: string;
  /** Height in pixels, less where the screen is low, so that the page can still be scrolled beside it. */
  height: number;
  points: readonly MapPoint[];
  /** All places the map is fitted to, where those are more than the points that are shown. */
  around?: readonly MapPoint[];
  /** The points are on their way: the map gets ready for them. */
  isPending?: boolean;
  lines?: readonly MapLine[];
  /** Centre on this place at zoom 15; without it the map fits all points. */
  center?: { latitude: number; longitude: number };
  /** Many points: near ones are drawn as one with their number. */
  isClustered?: boolean;
  /** Content of the bubble that opens at a point. */
  popupOf?: (point: MapPoint) => ReactNode;
  /** Makes the first point a pin that can be dragged, and the map a place to click. */
  onPlace?: (latitude: number, longitude: number) => void;
  /** Laid over the bottom left corner. */
  legend?: ReactNode;
}
