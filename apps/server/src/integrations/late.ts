import type { LoggedEvent } from '../event-log/event-log.ts';

const toleranceMs = 10_000;

/** Whether the time of arrival is wrong for an event: receivers then get the time of the event with it. */
export function isLate({ at }: LoggedEvent, now: Date): boolean {
  return now.getTime() - at.getTime() > toleranceMs;
}
