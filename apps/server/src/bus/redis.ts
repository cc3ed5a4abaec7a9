import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Metrics } from '../metrics.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { prefixOf } from '../redis/prefix.ts';
import {
  type Bus,
  type BusAnswer,
  type BusQuestion,
  type BusQuestionOf,
  type BusTopic,
  type BusTopics,
  changeTopics,
} from './bus.ts';
import { inProcessBus } from './in-process.ts';
import { payloadOf, readMessage, toldOf, writeMessage } from './messages.ts';

interface RedisBusDependencies {
  redis: RedisConnection;
  /** Of this instance, as others call it. */
  id: string;
  /** That only instances of this installation have. */
  tokenKey: Uint8Array;
  /** The ids of the instances that are live; this one may be among them. */
  live: () => readonly string[];
  metrics: Pick<Metrics, 'count'>;
  onError: (error: unknown) => void;
}

const version = 1;
/** Of a message about what few watch: it is only written for those who do. */
const rarelyHeard: ReadonlySet<BusTopic> = new Set<BusTopic>(['device-event', 'delivery-lines', 'frame']);
/** Messages that wait to learn whether somebody watches. */
const mostWaiting = 10_000;
const publishMs = 2_000;
/** How long the answer to a change waits for the other instances: what they keep in memory they re-read after seconds anyway. */
const confirmMs = 500;
/** How long a listener waits for Redis to know of it: it hears those of its own process anyway. */
const subscribeMs = 500;

interface Envelope {
  v: number;
  from: string;
  told: unknown;
}
interface Asked {
  v: number;
  from: string;
  number: number;
  question?: BusQuestion;
  body: unknown;
}
type Waiting = { topic: BusTopic; key: string; payload: BusTopics[BusTopic] };

/**
 * The bus of several instances: listeners of this one are told as in a single process, those of others by pub/sub of
 * Redis, a channel for each topic and key. Redis may lose, read and withhold what it carries, but not change it: each
 * message is signed. What was published while Redis was away is not told later.
 */
export async function redisBus({ redis, id, tokenKey, live, metrics, onError }: RedisBusDependencies): Promise<Bus> {
  const own = inProcessBus(onError);
  const derived = (what: string, length: number) => Buffer.from(hkdfSync('sha256', tokenKey, '', what, length));
  const key = derived('hilltop bus', 32);
  const prefix = prefixOf(tokenKey);
  const inboxOf = (instanceID: string) => `${prefix}to:${instanceID}`;
  const everyone = `${prefix}to-all`;

  /** By channel: who hears it, and whether messages of this instance are for them too. */
  const heard = new Map<string, Set<(text: string) => void>>();
  const pending = new Map<number, (answer: unknown, from: string) => void>();
  let lastNumber = 0;
  /** Instances that did not confirm in time. Nobody waits for them until they answer anything. */
  const unconfirmed = new Set<string>();
  own.answer('changes-processed', () => ({}));

  const dropped = (reason: string) => metrics.count('bus_messages_dropped', { reason });

  function signed(channel: string, text: string): string {
    const mac = createHmac('sha256', key).update(`${channel}\n${text}`).digest('base64url');
    return `${mac}${text}`;
  }

  const macLength = 43;
  function opened(channel: string, message: string): string | undefined {
    const text = message.slice(macLength);
    const [is, should] = [Buffer.from(message), Buffer.from(signed(channel, text))];
    return is.length === should.length && timingSafeEqual(is, should) ? text : undefined;
  }

  redis.subscriber.on('message', (channel: string, message: string) => {
    const listeners = heard.get(channel);
    if (!listeners) return;
    const text = opened(channel, message);
    if (text === undefined) return dropped('signature');
    for (const listener of listeners) {
      try {
        listener(text);
      } catch (error) {
        onError(error);
      }
    }
  });
  redis.onReady(() => {
    if (heard.size > 0) void redis.subscriber.subscribe(...heard.keys()).catch(() => undefined);
  });

  async function listen(channel: string, listener: (text: string) => void): Promise<() => void> {
    const listeners = heard.get(channel) ?? new Set();
    heard.set(channel, listeners.add(listener));
    const known = redis.subscriber.subscribe(channel).catch(() => undefined);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, subscribeMs);
    await Promise.race([known, late]);
    clearTimeout(timer);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || heard.get(channel) !== listeners) return;
      heard.delete(channel);
      redis.subscriber.unsubscribe(channel).catch(() => undefined);
    };
  }

  /** How many instances heard it; undefined when Redis is away. */
  function send(channel: string, message: Envelope | Asked, withinMs = publishMs): Promise<number | undefined> {
    const text = signed(channel, writeMessage(message));
    return redis.run((commands) => commands.publish(channel, text), withinMs);
  }

  const channelOf = (topic: BusTopic, of: string) => `${prefix}${topic}:${of}`;

  let changes = 0;
  /** Whether Redis took the last change. It takes them in the order in which they are published. */
  let lastChange: Promise<number | undefined> | undefined;
  function publishNow({ topic, key: of, payload }: Waiting): void {
    const sent = send(channelOf(topic, of), { v: version, from: id, told: toldOf(topic, payload) }, confirmMs);
    if (!changeTopics.has(topic)) return;
    changes += 1;
    lastChange = sent;
  }

  let waiting: Waiting[] = [];
  let isAsking = false;
  /** Redis knows who watches what: asked for all that waits at once, in the order it was published. */
  async function publishWatched(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const channels = [...new Set(batch.map((one) => channelOf(one.topic, one.key)))];
      const counts = await redis.run((commands) => commands.pubsub('NUMSUB', ...channels), publishMs);
      const watched = new Set<unknown>();
      for (let at = 0; at < channels.length; at += 1) if (Number(counts?.[2 * at + 1]) > 0) watched.add(channels[at]);
      // Our own watchers are counted as well, and one message too many is harmless.
      for (const one of batch) if (watched.has(channelOf(one.topic, one.key))) publishNow(one);
    }
    isAsking = false;
  }

  function subscribeLocally<T extends BusTopic>(topic: T, of: string, listener: (payload: BusTopics[T]) => void) {
    return listen(channelOf(topic, of), (text) => {
      const { v, from, told } = readMessage(text) as Envelope;
      if (v !== version) return dropped('version');
      if (from !== id) listener(payloadOf(topic, told));
    });
  }

  async function answerTo(text: string): Promise<void> {
    const { v, from, number, question, body } = readMessage(text) as Asked;
    if (v !== version) return dropped('version');
    if (question === undefined) {
      unconfirmed.delete(from);
      return pending.get(number)?.(body, from);
    }
    if (from === id) return;
    const answer = await own.ask(id, question, body as never, publishMs);
    if (answer !== undefined) await send(inboxOf(from), { v: version, from: id, number, body: answer });
  }

  await listen(inboxOf(id), (text) => void answerTo(text));
  await listen(everyone, (text) => void answerTo(text));

  /**
   * Redis hands an instance what this one publishes in its order, so the answer to a question that follows the changes says
   * that they are processed. Resolves at once when Redis does not take them: then there is nothing to wait for.
   */
  async function askForConfirmation(): Promise<void> {
    const peers = live().filter((one) => one !== id);
    if (peers.length === 0) return;
    for (const one of unconfirmed) if (!peers.includes(one)) unconfirmed.delete(one);
    const awaited = new Set(peers.filter((one) => !unconfirmed.has(one)));
    const { promise, resolve } = Promise.withResolvers<void>();
    lastNumber += 1;
    const number = lastNumber;
    pending.set(number, (_answer, from) => {
      awaited.delete(from);
      if (awaited.size === 0) resolve();
    });
    let hasRunOut = false;
    let isTaken = false;
    const timer = setTimeout(() => {
      hasRunOut = true;
      resolve();
    }, confirmMs);
    const question = { v: version, from: id, number, question: 'changes-processed', body: {} } as const;
    void Promise.all([lastChange, send(everyone, question, confirmMs)]).then((answers) => {
      isTaken = !answers.includes(undefined);
      if (!isTaken || awaited.size === 0) resolve();
    });
    await promise;
    clearTimeout(timer);
    pending.delete(number);
    if (!hasRunOut) return;
    metrics.count('bus_confirmations_missed');
    // Where Redis itself has not answered the others may be well.
    if (isTaken) for (const one of awaited) unconfirmed.add(one);
  }

  /** Ends with the last of the answers that can come, or with the time. */
  async function collect<Q extends BusQuestion>(
    channel: string,
    { question, asked, withinMs }: { question: Q; asked: BusQuestionOf<Q>; withinMs: number },
    expected: (heardBy: number) => number,
  ): Promise<BusAnswer<Q>[]> {
    const answers: BusAnswer<Q>[] = [];
    let most = Number.POSITIVE_INFINITY;
    const { promise, resolve } = Promise.withResolvers<void>();
    lastNumber += 1;
    const number = lastNumber;
    pending.set(number, (answer) => {
      if (answers.push(answer as BusAnswer<Q>) >= most) resolve();
    });
    const timer = setTimeout(resolve, withinMs);
    void send(channel, { v: version, from: id, number, question, body: asked }).then((heardBy = 0) => {
      most = expected(heardBy);
      if (answers.length >= most) resolve();
    });
    await promise;
    clearTimeout(timer);
    pending.delete(number);
    return answers;
  }

  return {
    publish(topic, of, payload) {
      own.publish(topic, of, payload);
      const message: Waiting = { topic, key: of, payload };
      if (!rarelyHeard.has(topic)) return publishNow(message);
      if (waiting.length >= mostWaiting) return dropped('too many');
      waiting.push(message);
      void publishWatched();
    },
    changeCount: () => changes,
    confirmed: (before) => (changes === before ? undefined : askForConfirmation()),
    async subscribe(topic, of, listener) {
      const stops = await Promise.all([own.subscribe(topic, of, listener), subscribeLocally(topic, of, listener)]);
      return () => stops.forEach((stop) => stop());
    },
    subscribeToPeers: subscribeLocally,
    answer: (question, handler) => own.answer(question, handler),
    async ask(instanceID, question, asked, withinMs) {
      if (instanceID === id) return own.ask(id, question, asked, withinMs);
      const [answer] = await collect(inboxOf(instanceID), { question, asked, withinMs }, (heardBy) =>
        Math.min(heardBy, 1),
      );
      return answer;
    },
    askPeers: (question, asked, withinMs) => collect(everyone, { question, asked, withinMs }, (heardBy) => heardBy - 1),
    close: () => own.close(),
  };
}
