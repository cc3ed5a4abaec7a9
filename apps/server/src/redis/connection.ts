import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { systemClock } from '../clock.ts';
import type { Metrics } from '../metrics.ts';
import { createPatience } from './patience.ts';

/**
 * Redis, or Valkey, between instances. Its data may be lost at any time, so no call rejects or waits for it to come back:
 * callers handle the answer `undefined` by other means.
 */
export interface RedisConnection {
  /**
   * The result of `work`; undefined when Redis is away, refuses, or takes longer than `withinMs`: longer than `mostMs` while
   * it answers other calls.
   */
  run: <Answer>(
    work: (commands: Redis) => Promise<Answer>,
    withinMs: number,
    mostMs?: number,
  ) => Promise<Answer | undefined>;
  /** The connection for subscriptions, which the protocol requires to be separate. */
  subscriber: Redis;
  /** No answer for some seconds. */
  isAway: () => boolean;
  /** Called each time channels can be subscribed to (again). */
  onReady: (listener: () => void) => void;
  close: () => Promise<void>;
}

interface RedisConnectionDependencies {
  log: Logger;
  metrics: Pick<Metrics, 'count' | 'gauge'>;
}

const connectMs = 5_000;
/** After this long without an answer the connection is closed and opened again. */
const silentMs = 3_000;
const pulseMs = 1_000;
/** Unanswered calls; more would cost memory when Redis is slow. */
const mostUnderWay = 10_000;

/** Back-off with jitter: the first tries are quick, and instances do not all reconnect at the same moment. */
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
  const patience = createPatience(systemClock);
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
    if (wasAway) log.error({ err: problem }, 'Redis (HILLTOP_REDIS_URL) is away: instances learn of each other later');
    else log.info('Redis is there again');
  }

  /** Checks both connections: one may be dead alone. */
  async function pulse(): Promise<void> {
    await Promise.all(both.map((redis) => redis.ping())).then(() => note(), note);
  }

  for (const redis of both) redis.on('error', note);
  await Promise.allSettled(both.map((redis) => redis.connect()));
  await pulse();
  const pulses = setInterval(() => void pulse(), pulseMs).unref();

  /** Commands of one turn share a write to the socket, which costs more than most commands. */
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
          patience.heard();
          return answer;
        })
        .catch(() => {
          metrics.count('redis_work_dropped');
          return undefined;
        })
        .finally(() => (underWay -= 1));
      const { promise: late, resolve } = Promise.withResolvers<undefined>();
      const endWaiting = patience.wait({ withinMs, mostMs }, () => resolve(undefined));
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
