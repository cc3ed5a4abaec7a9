import { gatewayEventTypes } from '@hilltop/contract';
import { bridgeFilters } from '@hilltop/gateway-protocols';
import type { BridgeClient } from '@hilltop/network-server';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import type { Cluster } from '../cluster/cluster.ts';
import { whileLeased } from '../cluster/while-leased.ts';
import { type EventType, eventMessages } from '../events/event.ts';
import { parseTemplate } from '../integrations/topic-template.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import { readPair, readPEM } from '../pem-file.ts';
import type { Broker } from './broker.ts';
import { type CommandsDependencies, createCommands, readCommandTopic } from './commands.ts';
import { processConcurrently } from './concurrent-messages.ts';
import type { Bridge } from './gateway-connection.ts';
import { type MarshalMessage, topicOf } from './messages.ts';
import type { MQTTSettings } from './settings.ts';

interface ExternalBrokerDependencies extends CommandsDependencies {
  config: MQTTSettings & { mqttRetainEvents: boolean };
  routingProfileID: Uint8Array;
  cluster: Cluster;
  marshal: MarshalMessage;
  /** Receives messages of gateways; undefined when no gateways are served. */
  bridge: Bridge | undefined;
}

const publishMs = 10_000;
const reconnectMs = 2_000;
const retryMs = 1_000;
const mostGatewayMessages = 500;
/** The broker keeps the session and continues to count packet identifiers, however long this server is disconnected. */
const resentWithinMs = 24 * 3_600_000;

/**
 * An external broker: the delivery publishes events there, and commands and gateway messages arrive by subscriptions.
 * It may be unavailable at times. Throws StartError when files of the settings cannot be used.
 */
export async function createExternalBroker(needs: ExternalBrokerDependencies): Promise<Broker> {
  const { config, cluster, marshal } = needs;
  const url = new URL(config.mqttURL.replace(/^tcp:/, 'mqtt:').replace(/^ssl:/, 'mqtts:'));
  const connections = { ...needs, url, files: await filesOf(config, url) };
  const publisher = createPublisher(connections);
  const subscriptions = createSubscriptions(connections);
  const eventTopic = parseTemplate(config.mqttEventTopic, []);
  let endLease: (() => Promise<void>) | undefined;

  return {
    kind: 'EXTERNAL',
    integration: {
      eventTypes: [...(Object.keys(eventMessages) as EventType[]), ...gatewayEventTypes],
      deliver: async (event) => {
        publisher.check();
        await publisher.publish(topicOf(eventTopic, event), Buffer.from((await marshal(event)) as Uint8Array));
      },
    },
    start: async () => {
      publisher.start();
      // One instance at a time, because a broker disconnects the earlier of two clients with one id.
      endLease = cluster.lease('mqtt-broker', (signal) => whileLeased(signal, subscriptions));
    },
    stop: async () => {
      await endLease?.();
      await publisher.stop();
    },
    ports: () => ({ tcp: undefined, tls: undefined }),
    take: (stream) => void stream.destroy(),
    clientsOf: () => [],
    disconnect: () => false,
    wantsGatewayStats: () => true,
  };
}

interface BrokerConnections extends ExternalBrokerDependencies {
  url: URL;
  files: Pick<IClientOptions, 'ca' | 'cert' | 'key'>;
}

/**
 * Connects under a fixed client id, so that the broker stores unacknowledged messages while this server is
 * disconnected. Several instances publish, each in a session that ends with its connection.
 */
function connectAs(
  part: 'events' | 'commands' | 'gateways',
  { url, files, cluster, routingProfileID, log }: BrokerConnections,
): MqttClient {
  const isOneOfMany = part === 'events' && !cluster.isAlone;
  const client = connect(url.href, {
    ...files,
    clientId: `hilltop-${routingProfileID.toHex()}-${part}${isOneOfMany ? `-${cluster.id}` : ''}`,
    clean: isOneOfMany,
    protocolVersion: 4,
    reconnectPeriod: reconnectMs,
    queueQoSZero: false,
  });
  let lastLogged = '';
  client.on('connect', () => {
    lastLogged = '';
    log.info({ broker: url.host, part }, 'connected to the MQTT broker');
  });
  client.on('error', ({ message }) => {
    if (message !== lastLogged) log.warn({ broker: url.host, part, reason: message }, 'the MQTT broker cannot be used');
    lastLogged = message;
  });
  return client;
}

/** Publishes events to the broker; failures count as those of the endpoint. */
function createPublisher(needs: BrokerConnections) {
  const { config, metrics, url } = needs;
  const { mqttRetainEvents: retain } = config;
  const qos = config.mqttQos as 0 | 1 | 2;
  let client: MqttClient | undefined;

  return {
    start: () => {
      client = connectAs('events', needs);
    },
    stop: async () => {
      await client?.endAsync(true);
    },
    /** Throws while the broker is unavailable. */
    check: () => {
      if (!client?.connected) throw new DeliveryError('endpoint', `The MQTT broker ${url.host} is away.`);
    },
    publish: async (topic: string, payload: Buffer): Promise<void> => {
      const sending = client!.publishAsync(topic, payload, { qos, retain });
      const messageID = client!.getLastMessageId();
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`it did not acknowledge within ${publishMs / 1000} s`)), publishMs);
      });
      try {
        await Promise.race([sending, tooLate]);
      } catch (error) {
        sending.catch(() => undefined);
        // The delivery retries the event; mqtt.js must not send it a second time.
        if (qos > 0) client!.removeOutgoingMessage(messageID);
        throw new DeliveryError('endpoint', `The MQTT broker ${url.host}: ${(error as Error).message}.`);
      } finally {
        clearTimeout(timer);
      }
      metrics.count('mqtt_messages', { direction: 'out' });
    },
  };
}

/** Receives commands of programs and messages of gateways from the broker. */
function createSubscriptions(needs: BrokerConnections) {
  const { bridge } = needs;
  let clients: MqttClient[] = [];
  return {
    start: () => {
      clients = [receiveCommands(needs), ...(bridge ? [receiveGateways(needs, bridge)] : [])];
    },
    stop: async () => {
      for (const client of clients) await client.endAsync(true);
    },
  };
}

/** Uses a session of its own, which survives restarts of both sides; a shared subscription does not with mosquitto. */
function connectAndSubscribe(
  part: 'commands' | 'gateways',
  needs: BrokerConnections,
  filters: string | string[],
): MqttClient {
  const client = connectAs(part, needs);
  client.on('connect', () => {
    client.subscribe(filters, { qos: 1 }, (error) => {
      if (error && !client.disconnecting) needs.log.warn({ err: error, part }, 'the MQTT broker refuses to subscribe');
    });
  });
  return client;
}

function receiveCommands(needs: BrokerConnections): MqttClient {
  const { config, url, metrics, log } = needs;
  const commandTopic = parseTemplate(config.mqttCommandTopic, []);
  const acceptCommand = createCommands(needs);
  const client = connectAndSubscribe('commands', needs, commandTopic.filter({ CommandType: 'down' }));
  // Acknowledges a command when it is on disk, and reads the next one afterwards.
  client.handleMessage = (packet, done) => {
    const target = readCommandTopic(commandTopic, packet.topic.toString());
    if (!target) return done();
    metrics.count('mqtt_messages', { direction: 'in' });
    const { qos, messageId: messageID, dup: isDuplicate } = packet;
    const resendable = { sender: url.host, messageID: messageID!, isDuplicate, forMs: resentWithinMs };
    const payload = Buffer.from(packet.payload as Buffer);
    const command = { ...target, payload, resendable: qos === 0 ? undefined : resendable };
    const attempt = (): void => {
      if (client.disconnecting) return;
      acceptCommand(command).then(
        () => done(),
        (error: unknown) => {
          log.warn({ err: error }, 'a command could not be stored; tried again');
          setTimeout(attempt, retryMs);
        },
      );
    };
    attempt();
  };
  return client;
}

/**
 * Processes many messages at once, since each waits for the disk. Their acknowledgements are sent in the order of
 * arrival.
 */
function receiveGateways(needs: BrokerConnections, bridge: Bridge): MqttClient {
  const { metrics } = needs;
  const client = connectAndSubscribe('gateways', needs, bridgeFilters);
  /** All gateways share one connection. */
  const gateways: BridgeClient = {
    isProven: false,
    publish: (topic, payload) => {
      if (!client.connected) return false;
      metrics.count('mqtt_messages', { direction: 'out' });
      client.publish(topic, Buffer.from(payload), { qos: 0 });
      return true;
    },
  };
  processConcurrently(client, mostGatewayMessages, async ({ topic, payload, retain }) => {
    metrics.count('mqtt_messages', { direction: 'in' });
    await bridge.take(gateways, { topic, payload: Buffer.from(payload as Buffer), isRetained: retain });
  });
  return client;
}

/** Passes files only for TLS: with them mqtt.js uses TLS whatever the URL says. */
async function filesOf(
  { mqttCA, mqttTLSCert, mqttTLSKey }: MQTTSettings,
  { protocol }: URL,
): Promise<Pick<IClientOptions, 'ca' | 'cert' | 'key'>> {
  if (!['mqtts:', 'wss:'].includes(protocol)) return {};
  const pair = await readPair(['HILLTOP_MQTT_TLS_CERT', mqttTLSCert], ['HILLTOP_MQTT_TLS_KEY', mqttTLSKey]);
  return { ...(mqttCA !== '' && { ca: await readPEM('HILLTOP_MQTT_CA', mqttCA) }), ...pair };
}
