/** Whether a date such as 2026-02-28 exists: `Date` reads February 30 as March 2. */
export function isCalendarDay(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).getUTCDate() === Number(date.slice(8, 10));
}
