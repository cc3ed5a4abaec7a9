import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { ConfiguredIntegration } from '../integrations/integration.ts';
import type { Metrics } from '../metrics.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { AnyAdapter, Attempt } from './attempt.ts';

export interface DeliveryDependencies {
  database: Database;
  eventLog: EventLog;
  bus: Bus;
  clock: Clock;
  /** Decides the age of events and dead letters, and how long an endpoint has failed. */
  steadyTime: SteadyTime;
  statistics: Statistics;
  metrics: Metrics;
  log: Logger;
  attempt: Attempt;
  /** By kind. Integrations of other kinds are ignored. */
  adapters: Readonly<Partial<Record<string, AnyAdapter>>>;
  loadIntegrations: () => Promise<ConfiguredIntegration[]>;
  /** Requests of all integrations together. */
  maxInFlight: number;
  /** Older events expire. */
  maxAgeMs: number;
  /** An integration is suspended after this time without a success. */
  giveUpMs: number;
  random?: () => number;
}
