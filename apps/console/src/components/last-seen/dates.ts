// Exact times are in the language and notation of the browser.
const long = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const log = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

const units = [
  ['year', 'years', 31_536_000],
  ['month', 'months', 2_592_000],
  ['day', 'days', 86_400],
  ['h', 'h', 3_600],
  ['min', 'min', 60],
] as const;

/** "5 min ago", "in 2 days"; "just now" for less than a minute in either direction. */
export function formatRelative(at: string, nowMs: number): string {
  const seconds = (nowMs - new Date(at).getTime()) / 1000;
  for (const [one, many, size] of units) {
    const count = Math.trunc(Math.abs(seconds) / size);
    if (count === 0) continue;
    const length = `${count} ${count === 1 ? one : many}`;
    return seconds > 0 ? `${length} ago` : `in ${length}`;
  }
  return 'just now';
}

/** "Nov 21, 2026, 4:20 PM" in the browser's time zone. */
export const formatLong = (at: string): string => long.format(new Date(at));

/** "Nov 21". */
export const formatDay = (at: string): string => day.format(new Date(at));

/** "Nov 21, 2026, 4:20:05 PM", for tooltips. */
export const formatExact = (at: string): string => exact.format(new Date(at));

/** "Nov 21, 04:20:05.125 PM", for log rows. */
export const formatLogTime = (at: string): string => log.format(new Date(at));

/** "4:20:05 PM", where the day is clear. */
export const formatTime = (at: string): string => time.format(new Date(at));
