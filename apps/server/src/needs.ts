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

/** What compose.ts passes to parts that do not declare their own dependencies yet. */
export interface Needs {
  config: Config;
  database: Database;
  integrity: Integrity;
  networks: Networks;
  /** The id by which network servers know this application server. Devices and gateways name it. */
  routingProfileID: Uint8Array;
  bus: Bus;
  cluster: Cluster;
  /** The load of this instance. */
  figures: Figures;
  /** Undefined in a single-instance installation. */
  redis: RedisConnection | undefined;
  clock: Clock;
  secrets: Secrets;
  /** Keys that join-servers and network servers wrap for us, and we for them. */
  keyEnvelopes: KeyEnvelopes;
  certificates: Certificates;
  codecs: PayloadCodecs;
  statistics: Statistics;
  eventLog: EventLog;
  devices: DeviceContexts;
  /** Numbers and records events. */
  recorder: EventRecorder;
  /** Undefined in a single-instance installation. */
  missedEvents: MissedEvents | undefined;
  enqueue: EnqueueDownlink;
  delivery: Delivery;
  /** Sends one event to a stored or an unsaved integration. */
  testSend: TestSend;
  principals: Principals;
  /** Undefined when no provider is configured. */
  singleSignOn: SingleSignOn | undefined;
  /** Undefined when MQTT is switched off. */
  mqtt: Broker | undefined;
  metrics: Metrics;
  log: Logger;
}
