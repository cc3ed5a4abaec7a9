const gpsEpochMs = Date.UTC(1980, 0, 6);
// Leap seconds between GPS and UTC; none was added since January 2017.
const leapSecondsMs = 18_000;

/** Milliseconds since 1970 of milliseconds since the epoch of GPS. */
export function fromGPSTime(ms: number): number {
  return gpsEpochMs + ms - leapSecondsMs;
}
