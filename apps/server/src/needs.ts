import type { Clock } from '@hilltop/network-server';
import type { ns } from '@hilltop/protobuf';
import type { Logger } from 'pino';
import type { Bus } from './bus/bus.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { Metrics } from './http/metrics.ts';
import type { Principals } from './http/principals.ts';
import type { PayloadCodecs } from './payload-codecs/codec.ts';
import type { Secrets } from './secrets.ts';
import type { Statistics } from './statistics/statistics.ts';

/** What routes and events may use; `compose.ts` decides what stands behind each. */
export interface Needs {
  config: Config;
  database: Database;
  networks: Networks;
  bus: Bus;
  clock: Clock;
  secrets: Secrets;
  codecs: PayloadCodecs;
  statistics: Statistics;
  principals: Principals;
  metrics: Metrics;
  log: Logger;
}

/** The registered network servers, each as the object of its `ns` service. */
export interface Networks {
  /**
   * By the id of its `network_server` row. Calls on the answer reject with RpcError. An embedded one called inside
   * `database.transaction` writes into that same transaction.
   */
  of: (networkServerID: number) => Promise<ns.NetworkServerService>;
  /** Its row was changed or deleted: forget the connection kept for it. */
  forget: (networkServerID: number) => void;
}
