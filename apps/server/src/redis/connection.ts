import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { systemClock } from '../clock.ts';
import type { Metrics } from '../metrics.ts';
import { createPatience } from './patience.ts';

/**
 * Redis, or Valkey, between instances. What it holds may be lost at any time, so nothing here ever rejects or waits for
 * it to come back: whoever asks has another way, and says so by `undefined`.
 */
export interface RedisConnection {
  /**
   * What the work answers; undefined when Redis is away, refuses, or takes longer than `withinMs`: than `mostMs` when it
   * answers others meanwhile.
   */
  run: <Answer>(
    work: (commands: Redis) => Promise<Answer>,
    withinMs: number,
    mostMs?: number,
  ) => Promise<Answer | undefined>;
  /** Speaks only of channels, as the protocol wants it. */
  subscriber: Redis;
  /** Nothing went through for some seconds. */
  isAway: () => boolean;
  /** Each time channels can be listened to (again). */
  onReady: (listener: () => void) => void;
  close: () => Promise<void>;
}

interface RedisConnectionDependencies {
  log: Logger;
  metrics: Pick<Metrics, 'count' | 'gauge'>;
}

const connectMs = 5_000;
/** A server that says nothing for so long is given up and connected to anew. */
const silentMs = 3_000;
const pulseMs = 1_000;
/** Work that was handed over and is not answered; beyond it a slow Redis would cost memory. */
const mostUnderWay = 10_000;

/** The first tries are quick, and instances never all come back in the same moment. */
const retryMs = (times: number) => Math.random() * Math.min(2_000, 100 * 2 ** Math.min(times, 6));

export async function connectRedis(
  url: string,
  { log, metrics }: RedisConnectionDependencies,
): Promise<RedisConnection> {
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
  const commands = new Redis(url, options);
  const subscriber = new Redis(url, options);
  const both = [commands, subscriber];
  const patience = createPatience(systemClock);
  let underWay = 0;
  let wasAway = false;
  let isClosed = false;
  let lastAnswer = Number.NEGATIVE_INFINITY;
  const isAway = () => performance.now() - lastAnswer > silentMs;
  metrics.gauge('redis_away', 'Whether Redis does not answer.', () => Number(isAway()));

  function note(problem?: unknown): void {
    if (isClosed) return;
    if (problem === undefined) lastAnswer = performance.now();
    if (isAway() === wasAway) return;
    wasAway = !wasAway;
    if (wasAway) log.error({ err: problem }, 'Redis (HILLTOP_REDIS_URL) is away: instances learn of each other later');
    else log.info('Redis is there again');
  }

  /** Both connections are asked: one may be dead alone. */
  async function pulse(): Promise<void> {
    await Promise.all(both.map((redis) => redis.ping())).then(() => note(), note);
  }

  for (const redis of both) redis.on('error', note);
  await Promise.allSettled(both.map((redis) => redis.connect()));
  await pulse();
  const pulses = setInterval(() => void pulse(), pulseMs).unref();

  /** What leaves in one turn goes in one piece: a write to the socket costs more than most commands. */
  function inOnePiece(): void {
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
      inOnePiece();
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
