import type { LoggedEvent } from '../event-log/event-log.ts';

const toleranceMs = 10_000;

/**
 * Whether an event arrives so late that the receiver must not use the time of arrival. It then gets the time of the
 * event.
 */
export function isLate({ at }: LoggedEvent, now: Date): boolean {
  return now.getTime() - at.getTime() > toleranceMs;
}
