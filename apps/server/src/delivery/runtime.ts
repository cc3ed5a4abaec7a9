import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Attempt } from './attempt.ts';
import type { RequestScheduler } from './request-scheduler.ts';

/** The common dependencies of all runners and replays of a process. */
export interface DeliveryRuntime {
  database: Database;
  eventLog: EventLog;
  clock: Clock;
  /** Decides the age of events and how long an endpoint has failed: a clock that is set forward expires nothing. */
  steadyTime: SteadyTime;
  scheduler: RequestScheduler;
  attempt: Attempt;
  random: () => number;
  log: Logger;
  /** Older events expire instead of being sent. */
  maxAgeMs: number;
  /** An integration is suspended after this time without a success. */
  giveUpMs: number;
}

/** How long a stop waits for requests in flight: a process has 4.5 s to end, and other parts stop after the deliveries. */
export const stopTimeoutMs = 2_500;

export function isExpired(
  { steadyTime, maxAgeMs }: Pick<DeliveryRuntime, 'steadyTime' | 'maxAgeMs'>,
  at: Date,
): boolean {
  return steadyTime.now() - at.getTime() > maxAgeMs;
}
