/** The statuses that a point on a map can have. */
export type PointTone = 'active' | 'inactive' | 'never' | 'plain';

export interface MapPoint {
  readonly id: string;
  /** Accessible name of the marker, such as the gateway's name. */
  readonly label: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly tone?: PointTone;
}

/** A line between two points, such as a ping that another gateway received. */
export interface MapLine {
  readonly from: { readonly latitude: number; readonly longitude: number };
  readonly to: { readonly latitude: number; readonly longitude: number };
  readonly color: string;
}

/** A location that was never set is stored as 0, 0; one that a user set there has the source CONFIG. */
export function hasPosition(
  location: { latitude: number; longitude: number; source?: string } | null | undefined,
): boolean {
  if (!location) return false;
  return location.latitude !== 0 || location.longitude !== 0 || location.source === 'CONFIG';
}
