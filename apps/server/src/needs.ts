import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Bus } from './bus/bus.ts';
import type { Certificates } from './certificates/certificates.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { Figures } from './cluster/figures.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { Integrity } from './database/integrity.ts';
import type { Delivery } from './delivery/delivery.ts';
import type { TestSend } from './delivery/test-send.ts';
import type { EventLog } from './event-log/event-log.ts';
import type { DeviceContexts } from './events/device-context.ts';
import type { MissedEvents } from './events/missed.ts';
import type { EventRecorder } from './events/recorder.ts';
import type { Principals } from './identity/principals.ts';
import type { KeyEnvelopes } from './key-envelopes.ts';
import type { Metrics } from './metrics.ts';
import type { Broker } from './mqtt/broker.ts';
import type { Networks } from './network/network-servers.ts';
import type { PayloadCodecs } from './payload-codecs/codec.ts';
import type { RedisConnection } from './redis/connection.ts';
import type { EnqueueDownlink } from './resources/device-queue/enqueue.ts';
import type { Secrets } from './secrets.ts';
import type { SingleSignOn } from './single-sign-on/single-sign-on.ts';
import type { Statistics } from './statistics/statistics.ts';

/** What routes and events may use; `compose.ts` decides what stands behind each. */
export interface Needs {
  config: Config;
  database: Database;
  integrity: Integrity;
  networks: Networks;
  /** By which network servers know this application server, and devices and gateways theirs. */
  routingProfileID: Uint8Array;
  bus: Bus;
  cluster: Cluster;
  /** How much this instance does. */
  figures: Figures;
  /** Undefined while this is the only instance there can be. */
  redis: RedisConnection | undefined;
  clock: Clock;
  secrets: Secrets;
  /** Keys that join-servers and network servers wrapped for us, and we for them. */
  keyEnvelopes: KeyEnvelopes;
  certificates: Certificates;
  codecs: PayloadCodecs;
  statistics: Statistics;
  eventLog: EventLog;
  devices: DeviceContexts;
  /** The one that numbers events. */
  recorder: EventRecorder;
  /** Undefined while this is the only instance there can be. */
  missedEvents: MissedEvents | undefined;
  enqueue: EnqueueDownlink;
  delivery: Delivery;
  /** Sends one event to an integration, saved or not. */
  testSend: TestSend;
  principals: Principals;
  /** Undefined when no provider is named. */
  singleSignOn: SingleSignOn | undefined;
  /** Undefined when MQTT is switched off. */
  mqtt: Broker | undefined;
  metrics: Metrics;
  log: Logger;
}
