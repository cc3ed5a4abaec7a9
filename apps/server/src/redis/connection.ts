import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { systemClock } from '../clock.ts';
import type { Metrics } from '../metrics.ts';
import { createResponseTimeout } from './response-timeout.ts';

/**
 * The connection to Redis or Valkey. Its data may be lost at any time, so no call rejects or waits for a reconnect:
 * callers do without the result when the answer is `undefined`.
 */
export interface RedisConnection {
  /**
   * The result of `work`. Undefined when Redis is unavailable, rejects it, or answers nothing for `withinMs`; or when
   * this answer takes longer than `mostMs` while Redis answers other calls.
   */
  run: <Answer>(
    work: (commands: Redis) => Promise<Answer>,
    withinMs: number,
    mostMs?: number,
  ) => Promise<Answer | undefined>;
  /** The connection for subscriptions, which the protocol requires to be separate. */
  subscriber: Redis;
  /** Redis has not answered for some seconds. */
  isAway: () => boolean;
  /** Calls the listener each time channels can be subscribed to (again). */
  onReady: (listener: () => void) => void;
  close: () => Promise<void>;
}

interface RedisConnectionDependencies {
  log: Logger;
  metrics: Pick<Metrics, 'count' | 'gauge'>;
}

const connectMs = 5_000;
/** After this long without an answer the connection is reopened. */
const silentMs = 3_000;
const pulseMs = 1_000;
/** The most unanswered calls: with more, a slow Redis would cost memory. */
const mostUnderWay = 10_000;

/** Back-off with jitter: the first retries are quick, and instances do not all reconnect at the same time. */
const retryMs = (times: number) => Math.random() * Math.min(2_000, 100 * 2 ** Math.min(times, 6));

const options = {
  lazyConnect: true,
  connectTimeout: connectMs,
  socketTimeout: silentMs,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  retryStrategy: retryMs,
};

export async function connectRedis(
  url: string,
  { log, metrics }: RedisConnectionDependencies,
): Promise<RedisConnection> {
  const commands = new Redis(url, options);
  const subscriber = new Redis(url, options);
  const both = [commands, subscriber];
  const responseTimeout = createResponseTimeout(systemClock);
  let underWay = 0;
  let wasAway = false;
  let isClosed = false;
  let lastAnswer = Number.NEGATIVE_INFINITY;
  const isAway = () => performance.now() - lastAnswer > silentMs;
  metrics.gauge('redis_away', 'Whether Redis does not respond.', () => Number(isAway()));

  function note(problem?: unknown): void {
    if (isClosed) return;
    if (problem === undefined) lastAnswer = performance.now();
    if (isAway() === wasAway) return;
    wasAway = !wasAway;
    if (wasAway)
      log.error({ err: problem }, 'Redis (HILLTOP_REDIS_URL) is unavailable: messages between instances are delayed');
    else log.info('Redis is available again');
  }

  /** Checks both connections, as either may be dead alone. */
  async function pulse(): Promise<void> {
    await Promise.all(both.map((redis) => redis.ping())).then(() => note(), note);
  }

  for (const redis of both) redis.on('error', note);
  await Promise.allSettled(both.map((redis) => redis.connect()));
  await pulse();
  const pulses = setInterval(() => void pulse(), pulseMs).unref();

  /** Commands of one iteration of the event loop share a write to the socket, which costs more than most commands. */
  function corkForThisTurn(): void {
    const { stream } = commands;
    stream.cork();
    setImmediate(() => stream.uncork());
  }

  return {
    async run(work, withinMs, mostMs = withinMs) {
      if (underWay >= mostUnderWay || commands.status !== 'ready') {
        metrics.count('redis_work_dropped');
        return undefined;
      }
      underWay += 1;
      corkForThisTurn();
      const done = work(commands)
        .then((answer) => {
          responseTimeout.responded();
          return answer;
        })
        .catch(() => {
          metrics.count('redis_work_dropped');
          return undefined;
        })
        .finally(() => (underWay -= 1));
      const { promise: late, resolve } = Promise.withResolvers<undefined>();
      const endWaiting = responseTimeout.wait({ withinMs, mostMs }, () => resolve(undefined));
      const answer = await Promise.race([done, late]);
      endWaiting();
      return answer;
    },
    subscriber,
    isAway,
    onReady: (listener) => {
      subscriber.on('ready', listener);
      if (subscriber.status === 'ready') listener();
    },
    close: async () => {
      isClosed = true;
      clearInterval(pulses);
      for (const redis of both) redis.disconnect();
    },
  };
}
