/** The part of a gateway's report that is stored. */
import type { common } from '@hilltop/protobuf';

const mostMeta = 32;
const longestMeta = 256;
const highest = 100_000;

/** The first entries, without those with long names, and with shortened values. */
export function limitedMetaData(meta: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(meta).filter(([name]) => name.length <= longestMeta);
  return Object.fromEntries(entries.slice(0, mostMeta).map(([name, text]) => [name, text.slice(0, longestMeta)]));
}

/**
 * The location that a gateway reports; null for the zeros of a gateway without GPS and for a position outside the
 * earth.
 */
export function validLocation(
  location: Pick<common.Location, 'latitude' | 'longitude' | 'altitude'>,
): common.Location | null {
  const { latitude, longitude, altitude } = location;
  if (latitude === 0 && longitude === 0 && altitude === 0) return null;
  const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && Math.abs(altitude) <= highest;
  return isOnEarth ? { latitude, longitude, altitude, source: 'GPS', accuracy: 0 } : null;
}
