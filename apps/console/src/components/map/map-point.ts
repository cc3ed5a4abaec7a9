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

/** A location that was never set is stored as 0, 0. */
export function hasPosition(location: { latitude: number; longitude: number } | null | undefined): boolean {
  return Boolean(location) && (location?.latitude !== 0 || location?.longitude !== 0);
}
