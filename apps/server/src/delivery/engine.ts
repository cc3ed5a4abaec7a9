import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Attempt } from './attempt.ts';
import type { FairShare } from './fair-share.ts';

/** What runners and replays work with. */
export interface DeliveryRuntime {
  database: Database;
  eventLog: EventLog;
  clock: Clock;
  /** By which events grow old and endpoints are given up. */
  steadyTime: SteadyTime;
  share: FairShare;
  attempt: Attempt;
  random: () => number;
  log: Logger;
  /** Older events are not worth delivering. */
  maxAgeMs: number;
  /** Suspended after so long without a success. */
  giveUpMs: number;
}
