import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { AddressOf } from './named-server.ts';
import { UnreadableSource } from './postgres.ts';

/** The part of Redis that belongs to one server of version 3. Keys are given without its prefix. */
export interface SourceRedis extends Disposable {
  where: string;
  /** The values of strings; null for a missing key. */
  strings: (keys: readonly string[]) => Promise<(Uint8Array | null)[]>;
  /** The fields of hashes; empty for a missing key. */
  hashes: (keys: readonly string[]) => Promise<Record<string, string>[]>;
  /** The number of keys that match each pattern. */
  existing: (groups: readonly (readonly string[])[]) => Promise<number[]>;
}

export interface RedisAddress {
  servers: string[];
  database: number;
  password: string;
  prefix: string;
  masterName: string;
  isCluster: boolean;
  isTLS: boolean;
}

const connectMs = 10_000;
/** A pipeline at a busy Redis takes a second at most. */
const commandMs = 60_000;
const pipelined = 500;

/** Throws UnreadableSource when it cannot be reached or refuses the password. Nothing is ever written to it. */
export async function openRedis(address: RedisAddress, what: string, addressOf: AddressOf): Promise<SourceRedis> {
  const where = address.servers.join(', ');
  if (address.isCluster)
    throw new UnreadableSource(
      `The Redis of the ${what} is a cluster, which cannot be imported: copy it into a single Redis.`,
    );
  const addresses = await Promise.all(
    address.servers.map(async (server) => {
      const { host, port } = addressIn(server);
      return {
        host: await addressOf({ host, port, sent: [address.password, address.masterName, address.prefix] }),
        port,
      };
    }),
  );
  const redis = new Redis(optionsOf(address, addresses));
  // Only this event reports a wrong password; afterwards the connection just closes.
  let connectionError: Error | undefined;
  redis.on('error', (error: Error) => (connectionError ??= error));
  try {
    await Promise.race([redis.connect().then(() => redis.ping()), rejectWhenSilent()]);
  } catch (error) {
    redis.disconnect();
    const { message } = connectionError ?? (error as Error);
    throw new UnreadableSource(`The Redis of the ${what} at ${where} cannot be opened: ${message.replace(/\.$/, '')}.`);
  }
  const full = (key: string) => address.prefix + key;

  async function inPipelines<DryRunInput, Answer>(
    questions: readonly DryRunInput[],
    ask: (pipeline: ReturnType<Redis['pipeline']>, question: DryRunInput) => unknown,
  ): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let from = 0; from < questions.length; from += pipelined) {
      const pipeline = redis.pipeline();
      for (const question of questions.slice(from, from + pipelined)) ask(pipeline, question);
      for (const [error, answer] of (await pipeline.exec()) ?? []) {
        if (error) throw new UnreadableSource(`The Redis of the ${what} at ${where} answers: ${error.message}.`);
        answers.push(answer as Answer);
      }
    }
    return answers;
  }

  return {
    where: `${where}/${address.database}`,
    strings: async (keys) => {
      const found: (Uint8Array | null)[] = [];
      for (let from = 0; from < keys.length; from += pipelined)
        found.push(...(await redis.mgetBuffer(keys.slice(from, from + pipelined).map(full))));
      return found;
    },
    hashes: (keys) => inPipelines(keys, (pipeline, key) => pipeline.hgetall(full(key))),
    existing: (groups) => inPipelines(groups, (pipeline, keys) => pipeline.exists(...keys.map(full))),
    [Symbol.dispose]: () => redis.disconnect(),
  };
}

/** For a server that accepts the connection and sends nothing. */
async function rejectWhenSilent(): Promise<never> {
  await setTimeout(connectMs, undefined, { ref: false });
  throw new Error(`no answer for ${connectMs / 1000} s`);
}

function optionsOf(
  { database, password, masterName, isTLS }: RedisAddress,
  [first = { host: 'localhost', port: 6379 }, ...rest]: readonly Address[],
) {
  return {
    ...(masterName === '' ? first : { sentinels: [first, ...rest], name: masterName }),
    db: database,
    lazyConnect: true,
    connectTimeout: connectMs,
    commandTimeout: commandMs,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    maxRetriesPerRequest: 1,
    // Older releases of Redis support no other version.
    protocol: 2 as const,
    ...(password !== '' && { password }),
    // Like version 3, which does not verify certificates.
    ...(isTLS && { tls: { rejectUnauthorized: false } }),
  };
}

interface Address {
  host: string;
  port: number;
}

function addressIn(text: string): Address {
  const [, host = 'localhost', port = '6379'] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return { host: host.replace(/^\[(.*)\]$/, '$1') || 'localhost', port: Number(port) };
}
