/** A time as fields of the type `datetime-local` expect it: in the time zone of the browser, to the minute. */
export function toLocalTime(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
