import type { Bus } from '../bus/bus.ts';
import type { Certificates } from '../certificates/certificates.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { connectionBoundary } from '../connections/boundary.ts';
import type { Database } from '../database/database.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Principals } from '../identity/principals.ts';
import { createSharedThrottle, type ThrottleDependencies } from '../identity/shared-throttle.ts';
import { parseTemplate } from '../integrations/topic-template.ts';
import type { Metrics } from '../metrics.ts';
import type { Broker } from './broker.ts';
import { startClients } from './clients.ts';
import { type CommandsDependencies, createCommands } from './commands.ts';
import type { Bridge } from './gateway-connection.ts';
import { type Listeners, startListeners } from './listeners.ts';
import { createMessages, type MarshalMessage } from './messages.ts';
import { createAccess } from './rights.ts';
import type { MQTTListenerSettings, MQTTSettings } from './settings.ts';

interface EmbeddedBrokerDependencies extends CommandsDependencies, ThrottleDependencies {
  config: MQTTListenerSettings & Pick<MQTTSettings, 'mqttEventTopic' | 'mqttCommandTopic'>;
  metrics: Metrics;
  bus: Bus;
  database: Database;
  eventLog: EventLog;
  principals: Principals;
  certificates: Certificates;
  cluster: Pick<Cluster, 'isAlone'>;
  marshal: MarshalMessage;
  /** Receives messages of gateways; undefined when no gateways are served. */
  bridge: Bridge | undefined;
}

/** Per network of clients. */
const refusedPerMinute = 30;
const eventTypes = ['up', 'join', 'ack', 'error', 'status', 'location', 'txack', 'integration'];

/** The broker in this process. It stores nothing: clients receive events from the event log. */
export async function createEmbeddedBroker(needs: EmbeddedBrokerDependencies): Promise<Broker> {
  const { config, clock, certificates, cluster, metrics, log, marshal } = needs;
  const eventTopic = parseTemplate(config.mqttEventTopic, []);
  const commandTopic = parseTemplate(config.mqttCommandTopic, []);
  const monotonicMs = () => clock.monotonicMs();
  const templates = [eventTopic, commandTopic];
  const boundary = connectionBoundary('mqtt', needs);
  const clients = startClients({
    ...needs,
    boundary,
    access: createAccess({ ...needs, templates, types: [...eventTypes, 'down'], monotonicMs }),
    messageOf: createMessages(eventTopic, marshal),
    acceptCommand: createCommands(needs),
    commandTopic,
    refusedSignIns: createSharedThrottle(needs, 'mqtt', refusedPerMinute),
    monotonicMs,
    now: () => clock.now(),
  });
  metrics.gauge('mqtt_clients', 'MQTT clients that are connected.', () => clients.count());
  let listeners: Listeners | undefined;

  return {
    kind: 'EMBEDDED',
    start: async () => {
      const onRefused = (listener: string) => metrics.count('connections_refused', { listener });
      listeners = await startListeners({
        tcp: config.mqtt,
        tls: config.mqtts,
        certificates,
        boundary,
        onRefused,
        take: clients.take,
      });
    },
    stop: async () => {
      listeners?.stop();
      await clients.stop();
      log.debug('the MQTT broker has stopped');
    },
    ports: () => ({ tcp: listeners?.tcp, tls: listeners?.tls }),
    take: (stream, { address }) =>
      boundary.guard(stream, clients.take)(stream, { transport: 'WEBSOCKET', address, certificate: undefined }),
    clientsOf: clients.of,
    disconnect: clients.disconnect,
    // Subscriptions at other instances are not known here.
    wantsGatewayStats: (organizationID) => !cluster.isAlone || clients.wantGatewayStats(organizationID),
  };
}
