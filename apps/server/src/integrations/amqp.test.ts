import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ChannelModel, type ConsumeMessage, connect } from 'amqplib';
import { loggedEvent } from '../testing/logged-events.ts';
import { hasRabbitMQ, type RabbitMQ, startRabbitMQ } from '../testing/rabbitmq.ts';
import { startSink } from '../testing/sink.ts';
import { type AMQPConfig, amqp } from './amqp.ts';
import { createMarshal } from './marshal.ts';

const routingKey = 'application.{{ .ApplicationID }}.device.{{ .DevEUI }}.event.{{ .EventType }}';
const marshal = createMarshal({ withEventID: false });

describe('the AMQP adapter', { skip: !hasRabbitMQ && 'no rabbitmq-server' }, () => {
  let broker: RabbitMQ;
  let listener: ChannelModel;
  const kind = amqp(marshal);
  before(async () => {
    broker = await startRabbitMQ();
    listener = await connect(broker.url);
  });
  after(async () => {
    await kind.stop!();
    await listener.close();
    await broker[Symbol.asyncDispose]();
  });

  const jobOf = async (config: Partial<AMQPConfig> = {}) => {
    const sink = await startSink();
    const job = sink.job<AMQPConfig>({ url: broker.url, routingKey, marshaler: 'JSON', ...config });
    return { job, [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose]() };
  };
  /** Resolves when the queue is bound; `heard` are the next `count` messages with such keys. */
  const listen = async (pattern: string, count: number) => {
    const channel = await listener.createChannel();
    const { queue } = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(queue, 'amq.topic', pattern);
    const received: ConsumeMessage[] = [];
    const full = Promise.withResolvers<ConsumeMessage[]>();
    await channel.consume(queue, (message) => {
      if (message && received.push(message) === count) full.resolve(received);
    });
    return { received: full.promise };
  };

  it('publishes each event with its routing key and its id', async () => {
    const { received } = await listen('application.7.device.0a1b2c3d4e5f6071.event.*', 2);
    await using one = await jobOf();
    await kind.deliver(loggedEvent('up'), one.job);
    await using other = await jobOf({ marshaler: 'PROTOBUF' });
    await kind.deliver(loggedEvent('ack'), other.job);
    const [up, ack] = await received;
    assert.equal(up!.fields.routingKey, 'application.7.device.0a1b2c3d4e5f6071.event.up');
    assert.deepEqual(
      [up!.properties.contentType, up!.properties.messageId, up!.content.toString()],
      ['application/json', loggedEvent('up').id, loggedEvent('up').json],
    );
    assert.deepEqual(
      [ack!.properties.contentType, ack!.content.toString('hex').slice(0, 8)],
      ['application/octet-stream', '0807120a'],
    );
  });

  it('publishes a batch in order', async () => {
    const events = Array.from({ length: 500 }, (_, fCnt) => loggedEvent('up', { fCnt }));
    const { received } = await listen('#', events.length);
    await using one = await jobOf({ routingKey: 'all.{{ .DevEUI }}.{{ .ApplicationID }}' });
    await kind.deliverBatch!.deliver(events, one.job);
    const counters = (await received).map(({ content }) => (JSON.parse(content.toString()) as { fCnt: number }).fCnt);
    assert.deepEqual(
      counters,
      events.map((_, fCnt) => fCnt),
    );
  });

  it('reconnects after the broker closed the connection, and reports failures without the password', async () => {
    const wrong = broker.url.replace('guest:guest', 'guest:canary%20x');
    await using refused = await jobOf({ url: wrong });
    await assert.rejects(kind.deliver(loggedEvent('up'), refused.job), (error: Error & { fault: string }) => {
      assert.equal(error.fault, 'endpoint');
      assert.match(error.message, /ACCESS[_-]REFUSED/);
      assert.doesNotMatch(error.message, /canary/);
      return true;
    });
    await using again = await jobOf();
    await kind.deliver(loggedEvent('up'), again.job);
  });
});

it('the AMQP adapter reports a broker that refuses connections', async () => {
  await using sink = await startSink();
  const config: AMQPConfig = { url: 'amqp://127.0.0.1:1', routingKey, marshaler: 'JSON' };
  await assert.rejects(amqp(marshal).deliver(loggedEvent('up'), sink.job(config)), { fault: 'endpoint' });
});
