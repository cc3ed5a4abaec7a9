/** Estimates the position of a device that at least three gateways with a known position received. */
import type { common, gw } from '@hilltop/protobuf';
import type { Reception } from '../radio/uplink.ts';
import { estimateByLevel } from './by-level.ts';
import { estimateByTime } from './by-time.ts';
import { type Coordinates, metresBetween, planeAround } from './plane.ts';

const fewest = 3;
const most = 16;
/** A gateway that received a device from farther away is not at its stored position. */
const farthest = 100_000;
const lightPerSecond = 299_792_458;

/**
 * By fine timestamps where three gateways have them, else by levels. `accuracy` is a radius in metres that contains the
 * device with a probability of two thirds. A result by times must fit the levels, or the clocks are wrong. Null when
 * fewer gateways received it, or nothing fits.
 */
export function locate(receptions: readonly Reception[], altitude: number): common.Location | null {
  const gateways = gatewaysOf(receptions);
  if (gateways.length < fewest) return null;
  const plane = planeAround(gateways[0]!.position);
  const byLevel = estimateByLevel(gateways.map(({ position, level }) => ({ ...plane.pointOf(position), level })));
  const timed = gateways.flatMap(({ position, arrival }) => (arrival === null ? [] : [{ position, arrival }]));
  const isTimed = timed.length >= fewest && spanOf(timed.map(({ arrival }) => arrival)) < farthest;
  // From a bad start the search may end at another point, so the better result of two starts counts.
  const starts = isTimed ? [byLevel, { east: 0, north: 0 }] : [];
  const [byTime = null] = starts
    .flatMap((start) => estimateByTime(timed, plane, start, altitude) ?? [])
    .sort((a, b) => a.accuracy - b.accuracy);
  const isLikely =
    byTime !== null &&
    byTime.accuracy < byLevel.accuracy &&
    Math.hypot(byTime.east - byLevel.east, byTime.north - byLevel.north) < 3 * byLevel.accuracy;
  const estimate = isLikely ? byTime : byLevel;
  return {
    ...plane.placeOf(estimate, altitude),
    source: isLikely ? 'GEO_RESOLVER_TDOA' : 'GEO_RESOLVER_RSSI',
    accuracy: Math.ceil(estimate.accuracy),
  };
}

interface LocatedReception {
  position: Coordinates;
  level: number;
  /**
   * The distance that light travelled in metres since the second of the best reception began; null without a fine
   * timestamp.
   */
  arrival: number | null;
}

/** The best reception of each gateway with a known position, around the one that received best. */
function gatewaysOf(receptions: readonly Reception[]): LocatedReception[] {
  const found = new Map<string, LocatedReception>();
  const second = Math.floor((fineTimeOf(receptions)?.getTime() ?? 0) / 1000) * 1000;
  for (const { gatewayID, rxInfo } of receptions) {
    const { location, rssi, loRaSNR } = rxInfo;
    const isKnown = location && (location.latitude !== 0 || location.longitude !== 0);
    if (!isKnown || rssi >= 0 || found.has(gatewayID) || found.size === most) continue;
    const { latitude, longitude, altitude } = location;
    found.set(gatewayID, {
      position: { latitude, longitude, altitude },
      level: rssi + Math.min(0, loRaSNR),
      arrival: arrivalOf(rxInfo, second),
    });
  }
  const [best, ...others] = found.values();
  return best ? [best, ...others.filter(({ position }) => metresBetween(best.position, position) < farthest)] : [];
}

const fineTimeOf = (receptions: readonly Reception[]) =>
  receptions.find(({ rxInfo }) => rxInfo.plainFineTimestamp?.time)?.rxInfo.plainFineTimestamp?.time;

function arrivalOf({ plainFineTimestamp }: gw.UplinkRXInfo, second: number): number | null {
  const time = plainFineTimestamp?.time;
  if (!time) return null;
  return ((time.getTime() - second) / 1000 + (time.nanoseconds ?? 0) / 1e9) * lightPerSecond;
}

const spanOf = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
