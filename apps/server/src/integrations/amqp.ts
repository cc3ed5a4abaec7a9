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
  /** In the syntax of the version-3 generation: `application.{{ .ApplicationID }}.device.{{ .DevEUI }}…`. */
  routingKey: string;
  marshaler: Marshaler;
}

type Link = { connection: ChannelModel; channel: ConfirmChannel };

const exchange = 'amq.topic';
const timeoutMs = 10_000;

/** Publishes to a broker such as RabbitMQ. An event has arrived when the broker says so, whoever listens there. */
export function amqp(marshal: Marshal): IntegrationAdapter<AMQPConfig> {
  /** By URL: another one is another broker. */
  const links = new Map<string, Promise<Link>>();

  async function open(url: string): Promise<Link> {
    const { connect } = await import('amqplib');
    const connection = await connect(url, { timeout: timeoutMs, noDelay: true });
    const forget = () => links.delete(url);
    // Without a listener an error would end the process; what waits for a confirmation hears of it by itself.
    connection.on('error', forget);
    connection.on('close', forget);
    const channel = await connection.createConfirmChannel();
    channel.on('error', forget);
    channel.on('close', forget);
    return { connection, channel };
  }

  function linkTo(url: string): Promise<Link> {
    let link = links.get(url);
    if (!link) {
      for (const other of links.values()) void other.then(({ connection }) => connection.close()).catch(() => {});
      links.clear();
      link = open(url);
      links.set(url, link);
      link.catch(() => links.delete(url));
    }
    return link;
  }

  async function publish(events: readonly LoggedEvent[], job: DeliveryJob<AMQPConfig>): Promise<void> {
    const { url, routingKey, marshaler } = job.config;
    const { topic } = parseTemplate(routingKey, []);
    const { channel } = await linkTo(url);
    const confirmed: Promise<void>[] = [];
    for (const event of events) {
      const { body, contentType } = await marshal(event, marshaler, job);
      const { applicationID, devEUI, type } = event;
      const key = topic({ ApplicationID: String(applicationID), DevEUI: devEUI, EventType: type });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      confirmed.push(promise);
      const told = (error: unknown) => (error ? reject(error as Error) : resolve());
      channel.publish(exchange, key, Buffer.from(body), { contentType, messageId: event.id }, told);
    }
    await Promise.all(confirmed);
  }

  async function deliver(events: readonly LoggedEvent[], job: DeliveryJob<AMQPConfig>): Promise<void> {
    try {
      await inTime(publish(events, job));
    } catch (error) {
      if (error instanceof DeliveryError) throw error;
      const { url } = job.config;
      const link = links.get(url);
      links.delete(url);
      void link?.then(({ connection }) => connection.close()).catch(() => {});
      throw new DeliveryError('endpoint', `The broker did not take it: ${wordOf(error, url)}.`);
    }
  }

  return {
    eventTypes: Object.keys(eventMessages) as EventType[],
    deliver: (event, job) => deliver([event], job),
    deliverBatch: { maxEvents: 500, deliver },
    stop: async () => {
      const open = [...links.values()];
      links.clear();
      await Promise.allSettled(open.map(async (link) => (await link).connection.close()));
    },
  };
}

async function inTime(work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What went wrong, without the password of the URL. */
function wordOf(error: unknown, url: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const { password } = new URL(url);
  const text = message || code || 'the connection ended';
  return password === '' ? text : text.replaceAll(password, '…').replaceAll(decodeURIComponent(password), '…');
}
