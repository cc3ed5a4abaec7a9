/** The four words of the status language, as far as a place on a map can have one. */
export type PointTone = 'active' | 'inactive' | 'never' | 'plain';

export interface MapPoint {
  readonly id: string;
  /** Read out for the marker, such as the gateway's name. */
  readonly label: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly tone?: PointTone;
}

/** A line between two places, such as a ping heard by another gateway. */
export interface MapLine {
  readonly from: { readonly latitude: number; readonly longitude: number };
  readonly to: { readonly latitude: number; readonly longitude: number };
  readonly color: string;
}

/** A location nobody has set is stored as 0, 0. */
export function hasPosition(location: { latitude: number; longitude: number } | null | undefined): boolean {
  return Boolean(location) && (location?.latitude !== 0 || location?.longitude !== 0);
}
