import { connectionBoundary } from '../connections/boundary.ts';
import { createCommonThrottle } from '../http/common-throttle.ts';
import { parseTemplate } from '../integrations/topic-template.ts';
import type { Needs } from '../needs.ts';
import type { Broker } from './broker.ts';
import { startClients } from './clients.ts';
import { createCommands } from './commands.ts';
import type { Bridge } from './gateway-connection.ts';
import { type Listeners, startListeners } from './listeners.ts';
import { createMessages, type MarshalMessage } from './messages.ts';
import { createAccess } from './rights.ts';

type EmbeddedBrokerDependencies = Omit<Needs, 'mqtt' | 'singleSignOn' | 'delivery' | 'testSend'> & {
  marshal: MarshalMessage;
  bridge: Bridge | undefined;
};

/** From one network. */
const refusedPerMinute = 30;
const eventTypes = ['up', 'join', 'ack', 'error', 'status', 'location', 'txack', 'integration'];

/** The broker in this process. It keeps nothing: what clients hear comes from the event log. */
export async function createEmbeddedBroker(needs: EmbeddedBrokerDependencies): Promise<Broker> {
  const { config, clock, certificates, metrics, log, marshal } = needs;
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
    strangers: createCommonThrottle(needs, 'mqtt', refusedPerMinute),
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
  };
}
