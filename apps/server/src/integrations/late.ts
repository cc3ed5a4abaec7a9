import type { LoggedEvent } from '../event-log/event-log.ts';

const soonMs = 10_000;

/** Receivers that take the time of arrival for the time of an event are told it when it is another one. */
export function isLate({ at }: LoggedEvent, now: Date): boolean {
  return now.getTime() - at.getTime() > soonMs;
}
