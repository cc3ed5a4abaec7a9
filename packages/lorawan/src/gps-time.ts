/** Time since the GPS epoch (1980-01-06T00:00:00Z), which includes the leap seconds that UTC inserts. */

const gpsEpochMs = Date.UTC(1980, 0, 6);

/** First instants after each leap second inserted since the GPS epoch. */
const leapSecondsBefore = [
  '1981-07-01',
  '1982-07-01',
  '1983-07-01',
  '1985-07-01',
  '1988-01-01',
  '1990-01-01',
  '1991-01-01',
  '1992-07-01',
  '1993-07-01',
  '1994-07-01',
  '1996-01-01',
  '1997-07-01',
  '1999-01-01',
  '2006-01-01',
  '2009-01-01',
  '2012-07-01',
  '2015-07-01',
  '2017-01-01',
].map((day) => Date.parse(`${day}T00:00:00Z`));

/** Milliseconds since the GPS epoch, leap seconds included. */
export function gpsTimeOf(utc: Date): number {
  const at = utc.getTime();
  return at - gpsEpochMs + leapSecondsBefore.filter((leap) => leap <= at).length * 1000;
}

/** The UTC instant of a GPS time in milliseconds; an inserted leap second becomes the first second of the new day. */
export function dateOfGpsTime(gpsMs: number): Date {
  const passed = leapSecondsBefore.filter((leap, index) => leap - gpsEpochMs + (index + 1) * 1000 <= gpsMs).length;
  return new Date(gpsMs + gpsEpochMs - passed * 1000);
}
