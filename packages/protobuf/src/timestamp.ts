import type { Timestamp } from './message.ts';

/** A point in time from milliseconds since 1970 and the nanoseconds (0 to 999,999) below that millisecond. */
export function timestamp(ms: number, nanoseconds = 0): Timestamp {
  const date = new Date(ms);
  return nanoseconds === 0 ? date : Object.assign(date, { nanoseconds });
}

/** RFC 3339 in UTC with 0, 3, 6 or 9 fraction digits, as proto3 JSON wants it. */
export function formatTimestamp(time: Timestamp): string {
  const text = time.toISOString();
  const below = time.nanoseconds;
  if (below) {
    const digits = below % 1000 === 0 ? String(below / 1000).padStart(3, '0') : String(below).padStart(6, '0');
    return `${text.slice(0, -1)}${digits}Z`;
  }
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text;
}

const rfc3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i;

/** The point in time of an RFC 3339 text with a zone, up to nanoseconds; undefined when it is none. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [, second, fraction = '', zone = 'Z'] = match;
  const start = Date.parse(`${second}${zone}`);
  if (Number.isNaN(start)) return undefined;
  const nanos = Number(fraction.padEnd(9, '0'));
  return timestamp(start + Math.floor(nanos / 1e6), nanos % 1e6);
}
