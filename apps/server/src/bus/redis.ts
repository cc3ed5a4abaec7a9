import type { Metrics } from '../metrics.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { prefixOf } from '../redis/prefix.ts';
import { type Bus, type BusTopic, type BusTopics, changeTopics } from './bus.ts';
import { Confirmations, confirmMs } from './confirmations.ts';
import { inProcessBus } from './in-process.ts';
import { envelopeVersion, payloadOf, readMessage, wirePayloadOf } from './messages.ts';
import { PeerRequests } from './peer-requests.ts';
import { SignedChannels } from './signed-channels.ts';

interface RedisBusDependencies {
  redis: RedisConnection;
  /** The id of this instance. */
  id: string;
  /** A key that only instances of this installation have. */
  tokenKey: Uint8Array;
  /** The ids of the live instances, with or without this one. */
  live: () => readonly string[];
  metrics: Pick<Metrics, 'count'>;
  onError: (error: unknown) => void;
}

/** Topics with few subscribers: a message is serialized and sent only when a peer subscribes to its channel. */
const rarelySubscribed: ReadonlySet<BusTopic> = new Set<BusTopic>(['device-event', 'delivery-lines', 'frame']);
/** Messages that wait until Redis answers whether any peer subscribes to them. */
const maxWaiting = 10_000;
const publishMs = 2_000;

interface Envelope {
  v: number;
  from: string;
  payload?: unknown;
  /** The payload, as earlier builds name it. */
  told?: unknown;
}
interface WaitingMessage {
  topic: BusTopic;
  key: string;
  payload: BusTopics[BusTopic];
}

/**
 * The bus of several instances. It calls local listeners as in a single process, and peers through pub/sub of Redis,
 * with a signed channel for each topic and key. Messages that are published while Redis is unavailable are not sent
 * later.
 */
export async function redisBus({ redis, id, tokenKey, live, metrics, onError }: RedisBusDependencies): Promise<Bus> {
  const own = inProcessBus(onError);
  const prefix = prefixOf(tokenKey);
  const drop = (reason: string) => metrics.count('bus_messages_dropped', { reason });
  const channels = new SignedChannels({ redis, tokenKey, onError, onForged: () => drop('signature') });
  const requests: PeerRequests = new PeerRequests({
    id,
    prefix,
    channels,
    answerLocally: (question, body) => own.ask(id, question, body as never, publishMs),
    onAnswerFrom: (peer) => confirmations.answeredBy(peer),
    onUnknownVersion: () => drop('version'),
  });
  const confirmations = new Confirmations({ id, live, requests, metrics });
  const channelOf = (topic: BusTopic, key: string) => `${prefix}${topic}:${key}`;

  function send({ topic, key, payload }: WaitingMessage): void {
    const envelope: Envelope = { v: envelopeVersion, from: id, payload: wirePayloadOf(topic, payload) };
    const sent = channels.publish(channelOf(topic, key), envelope, confirmMs);
    if (changeTopics.has(topic)) confirmations.published(sent);
  }

  const sendToSubscribers = whenSubscribed(
    (messages) => channels.subscribed([...new Set(messages.map(({ topic, key }) => channelOf(topic, key)))], publishMs),
    // Redis also counts subscribers of this process; an unneeded message is harmless.
    (message, subscribed) => subscribed.has(channelOf(message.topic, message.key)) && send(message),
  );

  function subscribeToPeers<T extends BusTopic>(topic: T, key: string, listener: (payload: BusTopics[T]) => void) {
    return channels.listen(channelOf(topic, key), (text) => {
      const { v, from, told, payload = told } = readMessage(text) as Envelope;
      if (v !== envelopeVersion) return drop('version');
      if (from !== id) listener(payloadOf(topic, payload));
    });
  }

  own.answer('changes-processed', () => ({}));
  await requests.start();

  return {
    publish(topic, key, payload) {
      own.publish(topic, key, payload);
      const message: WaitingMessage = { topic, key, payload };
      if (!rarelySubscribed.has(topic)) send(message);
      else if (!sendToSubscribers(message)) drop('too many');
    },
    changeCount: () => confirmations.changeCount,
    confirmed: (before) => (confirmations.changeCount === before ? undefined : confirmations.confirmed()),
    async subscribe(topic, key, listener) {
      const stops = await Promise.all([own.subscribe(topic, key, listener), subscribeToPeers(topic, key, listener)]);
      return () => stops.forEach((stop) => stop());
    },
    subscribeToPeers,
    answer: (question, handler) => own.answer(question, handler),
    ask: (instanceID, question, body, withinMs) =>
      instanceID === id
        ? own.ask(id, question, body, withinMs)
        : requests.ask(instanceID, { question, body, withinMs }),
    askPeers: (question, body, withinMs) => requests.askAll({ question, body, withinMs }),
    close: () => own.close(),
  };
}

/**
 * Queues messages, asks Redis once for all of them which channels have subscribers, and sends those messages in order.
 * Answers false for a message that exceeds the queue.
 */
function whenSubscribed(
  subscribedOf: (messages: readonly WaitingMessage[]) => Promise<ReadonlySet<string>>,
  sendIf: (message: WaitingMessage, subscribed: ReadonlySet<string>) => void,
): (message: WaitingMessage) => boolean {
  let waiting: WaitingMessage[] = [];
  let isAsking = false;

  async function sendAll(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const subscribed = await subscribedOf(batch);
      for (const message of batch) sendIf(message, subscribed);
    }
    isAsking = false;
  }

  return (message) => {
    if (waiting.length >= maxWaiting) return false;
    waiting.push(message);
    void sendAll();
    return true;
  };
}
