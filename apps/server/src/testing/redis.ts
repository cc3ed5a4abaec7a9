import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@hilltop/simulator';
import { Redis } from 'ioredis';

const program = '/usr/bin/redis-server';

/** Reason to skip tests when Redis is not installed; false when it is. */
export const noRedis = existsSync(program) ? false : 'redis-server is not installed';

/** A real Redis on a free port, without persistence. */
export interface TestRedis extends AsyncDisposable {
  url: string;
  port: number;
  /** Stops Redis and loses its data. */
  stop: () => Promise<void>;
  /** Starts Redis again at the same port. */
  start: () => Promise<void>;
  /** Stops and continues the process by signals. */
  pause: () => void;
  resume: () => void;
}

/** Redis listens at `addresses` and at 127.0.0.1. */
export async function startTestRedis(addresses: readonly string[] = []): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'hilltop-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const bound = ['--bind', '127.0.0.1', ...addresses, '--protected-mode', 'no'];
  const options = ['--port', String(port), ...bound, '--save', '', '--dir', directory];
  const run = () => spawn(program, options, { stdio: 'ignore' });
  let process = run();
  await waitForRedis(process, url);

  const stop = async () => {
    if (process.exitCode !== null || process.signalCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  };
  return {
    url,
    port,
    stop,
    start: async () => {
      process = run();
      await waitForRedis(process, url);
    },
    pause: () => process.kill('SIGSTOP'),
    resume: () => process.kill('SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Resolves when Redis answers, without a limit of time. Rejects when its process ends. */
export async function waitForRedis(process: ChildProcess, url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  const ended = new AbortController();
  const exit = once(process, 'exit', { signal: ended.signal }).then(() => {
    throw new Error(`redis-server ended before it answered at ${url}.`);
  });
  try {
    await Promise.race([redis.ping(), exit]);
  } finally {
    ended.abort();
    exit.catch(() => undefined);
    redis.disconnect();
  }
}
