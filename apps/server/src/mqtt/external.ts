import { bridgeFilters } from '@hilltop/gateway-protocols';
import type { BridgeClient } from '@hilltop/network-server';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import type { Cluster } from '../cluster/cluster.ts';
import { whileLeased } from '../cluster/while-leased.ts';
import { type EventType, eventMessages } from '../events/event.ts';
import { DeliveryTrouble } from '../integrations/integration.ts';
import { readPair, readPEM } from '../pem-file.ts';
import type { Broker } from './broker.ts';
import { type CommandsDependencies, createCommands, readCommandTopic } from './commands.ts';
import type { Bridge } from './gateway-connection.ts';
import type { MarshalMessage } from './messages.ts';
import type { MQTTSettings } from './settings.ts';
import { takeAtOnce } from './take-at-once.ts';
import { parseTemplate } from './topics.ts';

interface ExternalBrokerDependencies extends CommandsDependencies {
  config: MQTTSettings & { mqttRetainEvents: boolean };
  routingProfileID: Uint8Array;
  cluster: Cluster;
  marshal: MarshalMessage;
  /** Where messages of gateways go; undefined when no gateways are served. */
  bridge: Bridge | undefined;
}

const publishMs = 10_000;
const reconnectMs = 2_000;
const againMs = 1_000;
const mostGatewayMessages = 500;
/** The broker counts on in the session it keeps, however long we are away. */
const resentWithinMs = 24 * 3_600_000;

/**
 * A broker elsewhere: the delivery engine publishes what happens, and commands and gateways come by subscriptions. It may
 * come and go. Throws StartError when files of the settings are not good.
 */
export async function createExternalBroker(needs: ExternalBrokerDependencies): Promise<Broker> {
  const { config, routingProfileID, cluster, metrics, log, marshal, bridge } = needs;
  const { mqttRetainEvents: retain } = config;
  const qos = config.mqttQos as 0 | 1 | 2;
  const eventTopic = parseTemplate(config.mqttEventTopic, []);
  const commandTopic = parseTemplate(config.mqttCommandTopic, []);
  const acceptCommand = createCommands(needs);
  const url = new URL(config.mqttURL.replace(/^tcp:/, 'mqtt:').replace(/^ssl:/, 'mqtts:'));
  const files = await filesOf(config, url);
  let publisher: MqttClient | undefined;
  let receiver: MqttClient | undefined;
  let gateways: MqttClient | undefined;
  let endLease: (() => Promise<void>) | undefined;

  /**
   * Fixed ids, so that the broker keeps what was not acknowledged while we are away. Several instances publish, each in a
   * session that nobody needs after it.
   */
  function open(part: 'events' | 'commands' | 'gateways'): MqttClient {
    const isOfMany = part === 'events' && !cluster.isAlone;
    const client = connect(url.href, {
      ...files,
      clientId: `hilltop-${routingProfileID.toHex()}-${part}${isOfMany ? `-${cluster.id}` : ''}`,
      clean: isOfMany,
      protocolVersion: 4,
      reconnectPeriod: reconnectMs,
      queueQoSZero: false,
    });
    let lastSaid = '';
    client.on('connect', () => {
      lastSaid = '';
      log.info({ broker: url.host, part }, 'connected to the MQTT broker');
    });
    client.on('error', ({ message }) => {
      if (message !== lastSaid) log.warn({ broker: url.host, part, reason: message }, 'the MQTT broker cannot be used');
      lastSaid = message;
    });
    return client;
  }

  /** A session of our own outlives restarts on both sides; a shared subscription does not at mosquitto's. */
  function openSubscribed(part: 'commands' | 'gateways', filters: string | string[]): MqttClient {
    const client = open(part);
    client.on('connect', () => {
      client.subscribe(filters, { qos: 1 }, (error) => {
        if (error && !client.disconnecting) log.warn({ err: error, part }, 'the MQTT broker lets us not subscribe');
      });
    });
    return client;
  }

  function receive(): MqttClient {
    const client = openSubscribed('commands', commandTopic.filter({ CommandType: 'down' }));
    // Acknowledged when it is on disk: while that cannot be, nothing more is taken.
    client.handleMessage = (packet, done) => {
      const target = readCommandTopic(commandTopic, packet.topic.toString());
      if (!target) return done();
      metrics.count('mqtt_messages', { direction: 'in' });
      const { qos: sentWith, messageId: messageID, dup: isDuplicate } = packet;
      const resendable = { sender: url.host, messageID: messageID!, isDuplicate, forMs: resentWithinMs };
      const payload = Buffer.from(packet.payload as Buffer);
      const command = { ...target, payload, resendable: sentWith === 0 ? undefined : resendable };
      const attempt = (): void => {
        if (client.disconnecting) return;
        acceptCommand(command).then(
          () => done(),
          (error: unknown) => {
            log.warn({ err: error }, 'a command could not be stored; tried again');
            setTimeout(attempt, againMs);
          },
        );
      };
      attempt();
    };
    return client;
  }

  /** Many at once: each waits for the disk, and their acknowledgements leave in their order. */
  function hearGateways({ take }: Bridge): MqttClient {
    const client = openSubscribed('gateways', bridgeFilters);
    const all: BridgeClient = {
      isProven: false,
      publish: (topic, payload) => {
        if (!client.connected) return false;
        metrics.count('mqtt_messages', { direction: 'out' });
        client.publish(topic, Buffer.from(payload), { qos: 0 });
        return true;
      },
    };
    takeAtOnce(client, mostGatewayMessages, async ({ topic, payload, retain }) => {
      metrics.count('mqtt_messages', { direction: 'in' });
      await take(all, { topic, payload: Buffer.from(payload as Buffer), isRetained: retain });
    });
    return client;
  }

  async function publish(client: MqttClient, topic: string, payload: Buffer): Promise<void> {
    const arriving = client.publishAsync(topic, payload, { qos, retain });
    const messageID = client.getLastMessageId();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`it did not acknowledge within ${publishMs / 1000} s`)), publishMs);
    });
    try {
      await Promise.race([arriving, late]);
    } catch (error) {
      arriving.catch(() => undefined);
      // The engine sends it again: once is enough.
      if (qos > 0) client.removeOutgoingMessage(messageID);
      throw new DeliveryTrouble('endpoint', `The MQTT broker ${url.host}: ${(error as Error).message}.`);
    } finally {
      clearTimeout(timer);
    }
    metrics.count('mqtt_messages', { direction: 'out' });
  }

  /** One instance at a time: two sessions of one id throw each other out. */
  function listen(): void {
    receiver = receive();
    if (bridge) gateways = hearGateways(bridge);
  }

  async function listenNoMore(): Promise<void> {
    for (const client of [receiver, gateways]) await client?.endAsync(true);
  }

  return {
    kind: 'EXTERNAL',
    integration: {
      takes: Object.keys(eventMessages) as EventType[],
      deliver: async (event) => {
        if (!publisher?.connected) throw new DeliveryTrouble('endpoint', `The MQTT broker ${url.host} is away.`);
        const { applicationID, devEUI, type } = event;
        const topic = eventTopic.topic({ ApplicationID: String(applicationID), DevEUI: devEUI, EventType: type });
        await publish(publisher, topic, Buffer.from((await marshal(event)) as Uint8Array));
      },
    },
    start: async () => {
      publisher = open('events');
      endLease = cluster.lease('mqtt-broker', (signal) => whileLeased(signal, { start: listen, stop: listenNoMore }));
    },
    stop: async () => {
      await endLease?.();
      await publisher?.endAsync(true);
    },
    ports: () => ({ tcp: undefined, tls: undefined }),
    take: (stream) => void stream.destroy(),
    clientsOf: () => [],
    disconnect: () => false,
  };
}

/** Files are only for TLS: with them mqtt.js speaks it whatever the URL says. */
async function filesOf(
  { mqttCA, mqttTLSCert, mqttTLSKey }: MQTTSettings,
  { protocol }: URL,
): Promise<Pick<IClientOptions, 'ca' | 'cert' | 'key'>> {
  if (!['mqtts:', 'wss:'].includes(protocol)) return {};
  const pair = await readPair(['HILLTOP_MQTT_TLS_CERT', mqttTLSCert], ['HILLTOP_MQTT_TLS_KEY', mqttTLSKey]);
  return { ...(mqttCA !== '' && { ca: await readPEM('HILLTOP_MQTT_CA', mqttCA) }), ...pair };
}
