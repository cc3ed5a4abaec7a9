import type { Timestamp } from '@hilltop/protobuf';

const gpsEpochMs = Date.UTC(1980, 0, 6);
// Leap seconds between GPS and UTC; none was added since January 2017.
const leapSecondsMs = 18_000;

/** Converts milliseconds since the epoch of GPS to milliseconds since 1970. */
export function fromGPSTime(ms: number): number {
  return gpsEpochMs + ms - leapSecondsMs;
}

const latestDateMs = 8.64e15;

/** The UTC second (ms since 1970) in which a frame arrived, from GPS time if the gateway has it. */
export function wholeSecondOf(time: Timestamp | null, gpsMs: number | null): number | null {
  const ms = gpsMs === null ? time?.getTime() : fromGPSTime(gpsMs);
  if (ms === undefined || ms > latestDateMs - 1000) return null;
  return Math.floor(ms / 1000) * 1000;
}
