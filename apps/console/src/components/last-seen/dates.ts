const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const long = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const log = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** "5 minutes ago"; "just now" for less than a minute in either direction. */
export function formatRelative(at: string, nowMs: number): string {
  const seconds = (new Date(at).getTime() - nowMs) / 1000;
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return 'just now';
}

/** "Nov 21, 2026, 4:20 PM" in the browser's time zone. */
export const formatLong = (at: string): string => long.format(new Date(at));

/** "Nov 21, 4:20:05 PM", for log rows. */
export const formatLogTime = (at: string): string => log.format(new Date(at));
