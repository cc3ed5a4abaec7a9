import type { ReactNode } from 'react';
import type { MapLine, MapPoint } from './map-point.ts';

export interface WorldMapProps {
  /** Accessible name of the map. */
  label: string;
  /** Height in pixels; less on low screens, so that the page can still be scrolled beside it. */
  height: number;
  points: readonly MapPoint[];
  /** All points that the map fits, when they are more than the displayed points. */
  around?: readonly MapPoint[];
  /** The points are loading: the map starts in the meantime. */
  isPending?: boolean;
  lines?: readonly MapLine[];
  /** Centres on this point at zoom 15; without it the map fits all points. */
  center?: { latitude: number; longitude: number };
  /** Draws near points as one cluster with their number. */
  isClustered?: boolean;
  /** Content of the popup of a point. */
  popupOf?: (point: MapPoint) => ReactNode;
  /** Makes the first point a draggable pin that a click on the map also moves. */
  onPlace?: (latitude: number, longitude: number) => void;
  /** Content over the bottom left corner. */
  legend?: ReactNode;
}
