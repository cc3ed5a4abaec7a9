import type { DatabaseKind } from '../database/database.ts';
import { sqlWith } from '../database/sql-with.ts';

/** What an uplink changes of the marks of its device, from which conditions are evaluated. */
export interface UplinkMarks {
  /** Uplinks that are missing before it and were not sent while no server ran. */
  lost: number;
  isCodecFailing: boolean;
  /** The gateway that was the only one to receive it; empty for several, or when that is unknown. */
  soleGateway: string;
}

/** How many expected uplinks `device.lost_bits` has: a bit for each, 1 for a lost one, the last one lowest. */
const expectedUplinks = 50;
/** How many uplinks `device.codec_error_bits` has. */
const decodedUplinks = 5;
const allBits = (count: number) => 2 ** count - 1;
/** The weight of the last gap in the usual one. A longer gap counts as one of this many usual ones. */
const lastGap = { weight: 0.1, most: 4 };

/** What an update with the parameters of `marksOf` and `$lastSeenAt` sets. */
function marksIn(kind: DatabaseKind): Readonly<Record<string, string>> {
  const isSQLite = kind === 'sqlite';
  const least = isSQLite ? 'min' : 'least';
  const gap = isSQLite
    ? `((unixepoch($lastSeenAt, 'subsec') - unixepoch(last_seen_at, 'subsec')) * 1000.0)`
    : `(extract(epoch from ($lastSeenAt::timestamptz - last_seen_at)) * 1000)::float8`;
  const shift = isSQLite ? '$shift' : '$shift::int';
  return {
    usual_gap_ms: `case when last_seen_at is null or ${gap} <= 0 then usual_gap_ms
      when usual_gap_ms is null then ${gap}
      else usual_gap_ms + ${lastGap.weight} * (${least}(${gap}, ${lastGap.most} * usual_gap_ms) - usual_gap_ms) end`,
    lost_bits: `((lost_bits << ${shift}) | $lostBits) & ${allBits(expectedUplinks)}`,
    codec_error_bits: `((codec_error_bits << 1) | $codecError) & ${allBits(decodedUplinks)}`,
    sole_since: 'case when sole_gateway = $soleGateway then sole_since else $now end',
    sole_gateway: '$soleGateway',
  };
}

export const setMarks = (kind: DatabaseKind): string =>
  Object.entries(marksIn(kind))
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ');

/** The parameters of `marksIn`. */
export function marksOf({ lost, isCodecFailing, soleGateway }: UplinkMarks) {
  const missing = Math.min(Math.max(lost, 0), expectedUplinks - 1);
  return {
    // An uplink that came late is not expected twice.
    shift: lost < 0 ? 0 : missing + 1,
    lostBits: allBits(missing) * 2,
    codecError: isCodecFailing ? 1 : 0,
    soleGateway,
  };
}

/** The same as columns of an update. */
export function marksChange(kind: DatabaseKind, marks: UplinkMarks, { at, now }: { at: Date; now: number }) {
  const values = { ...marksOf(marks), lastSeenAt: at, now };
  const columns = Object.entries(marksIn(kind)).map(([column, text]) => [column, sqlWith<never>(text, values)]);
  return Object.fromEntries(columns) as Readonly<Record<string, ReturnType<typeof sqlWith<never>>>>;
}
