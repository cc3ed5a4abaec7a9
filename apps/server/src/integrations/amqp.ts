import type { ChannelModel, ConfirmChannel } from 'amqplib';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { type EventType, eventMessages } from '../events/event.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { DeliveryJob, IntegrationAdapter } from './integration.ts';
import type { Marshal, Marshaler } from './marshal.ts';
import { parseTemplate } from './topic-template.ts';

export interface AMQPConfig {
  /** `amqp://user:password@host:5672/vhost` */
  url: string;
  /** In the syntax of version 3: `application.{{ .ApplicationID }}.device.{{ .DevEUI }}…`. */
  routingKey: string;
  marshaler: Marshaler;
}

type BrokerConnection = { connection: ChannelModel; channel: ConfirmChannel };

const exchange = 'amq.topic';
const timeoutMs = 10_000;

/** Publishes to a broker such as RabbitMQ. An event is delivered when the broker confirms it, with or without consumers. */
export function amqp(marshal: Marshal): IntegrationAdapter<AMQPConfig> {
  /** By URL. There is at most one, because a changed URL replaces the connection. */
  const connections = new Map<string, Promise<BrokerConnection>>();

  async function open(url: string): Promise<BrokerConnection> {
    const { connect } = await import('amqplib');
    const connection = await connect(url, { timeout: timeoutMs, noDelay: true });
    const forget = () => connections.delete(url);
    // An 'error' event without a listener ends the process. Pending confirmations are rejected by the library.
    connection.on('error', forget);
    connection.on('close', forget);
    const channel = await connection.createConfirmChannel();
    channel.on('error', forget);
    channel.on('close', forget);
    return { connection, channel };
  }

  function connectTo(url: string): Promise<BrokerConnection> {
    let connection = connections.get(url);
    if (!connection) {
      for (const otherURL of connections.keys()) close(otherURL);
      connection = open(url);
      connections.set(url, connection);
      connection.catch(() => connections.delete(url));
    }
    return connection;
  }

  function close(url: string): void {
    const closing = connections.get(url);
    connections.delete(url);
    void closing?.then(({ connection }) => connection.close()).catch(() => {});
  }

  async function publish(events: readonly LoggedEvent[], job: DeliveryJob<AMQPConfig>): Promise<void> {
    const { url, routingKey, marshaler } = job.config;
    const { topic } = parseTemplate(routingKey, []);
    const { channel } = await connectTo(url);
    const confirmed: Promise<void>[] = [];
    for (const event of events) {
      const { body, contentType } = await marshal(event, marshaler, job);
      const { applicationID, devEUI, type } = event;
      const key = topic({ ApplicationID: String(applicationID), DevEUI: devEUI, EventType: type });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      confirmed.push(promise);
      const onConfirm = (error: unknown) => (error ? reject(error as Error) : resolve());
      channel.publish(exchange, key, Buffer.from(body), { contentType, messageId: event.id }, onConfirm);
    }
    await Promise.all(confirmed);
  }

  async function deliver(events: readonly LoggedEvent[], job: DeliveryJob<AMQPConfig>): Promise<void> {
    try {
      await withTimeout(publish(events, job));
    } catch (error) {
      if (error instanceof DeliveryError) throw error;
      const { url } = job.config;
      close(url);
      throw new DeliveryError('endpoint', `The broker did not take it: ${reasonOf(error, url)}.`);
    }
  }

  return {
    eventTypes: Object.keys(eventMessages) as EventType[],
    deliver: (event, job) => deliver([event], job),
    deliverBatch: { maxEvents: 500, deliver },
    stop: async () => {
      const open = [...connections.values()];
      connections.clear();
      await Promise.allSettled(open.map(async (opening) => (await opening).connection.close()));
    },
  };
}

async function withTimeout(work: Promise<void>): Promise<void> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The message of an error, without the password of the URL. */
function reasonOf(error: unknown, url: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const { password } = new URL(url);
  const text = message || code || 'the connection ended';
  return password === '' ? text : text.replaceAll(password, '…').replaceAll(decodeURIComponent(password), '…');
}
