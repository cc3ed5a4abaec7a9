import { isCalendarDay } from './calendar-day.ts';
import type { Timestamp } from './message.ts';

/** A point in time from milliseconds since 1970 and the nanoseconds (0 to 999,999) below that millisecond. */
export function timestamp(ms: number, nanoseconds = 0): Timestamp {
  const date = new Date(ms);
  return nanoseconds === 0 ? date : Object.assign(date, { nanoseconds });
}

/** Consecutive times are mostly within a few seconds, so the texts of seconds are cached. */
const written = Array.from({ length: 8 }, () => ({ second: Number.NaN, text: '' }));
let read = { text: '', start: Number.NaN };

/** RFC 3339 in UTC with 0, 3, 6 or 9 fraction digits, as in proto3 JSON. */
export function formatTimestamp(time: Timestamp): string {
  const ms = time.getTime();
  const second = Math.floor(ms / 1000);
  const whole = written[second & 7]!;
  if (second !== whole.second) {
    whole.text = new Date(second * 1000).toISOString().slice(0, -5);
    whole.second = second;
  }
  const below = time.nanoseconds;
  const millis = ms - second * 1000;
  if (millis === 0 && !below) return `${whole.text}Z`;
  const digits = String(millis).padStart(3, '0');
  if (!below) return `${whole.text}.${digits}Z`;
  const more = below % 1000 === 0 ? String(below / 1000).padStart(3, '0') : String(below).padStart(6, '0');
  return `${whole.text}.${digits}${more}Z`;
}

const rfc3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i;

/** The point in time of an RFC 3339 text with a zone, up to nanoseconds; undefined when the text is invalid. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [, second, fraction = '', zone = 'Z'] = match;
  const whole = `${second}${zone}`;
  if (whole !== read.text)
    read = { text: whole, start: isCalendarDay(whole.slice(0, 10)) ? Date.parse(whole) : Number.NaN };
  const { start } = read;
  if (Number.isNaN(start)) return undefined;
  const nanos = Number(fraction.padEnd(9, '0'));
  return timestamp(start + Math.floor(nanos / 1e6), nanos % 1e6);
}
