import type { InputOf, Operation, ResponseOf } from '@hilltop/contract';
import { type ServerParts, startServer } from '../compose.ts';
import type { DatabaseKind } from '../database/database.ts';
import { cost } from '../passwords/argon2id.ts';
import { createTestClient } from './client.ts';
import { startCodecsWithLongTimeout } from './codecs-with-long-timeout.ts';
import { createMigratedStorage, databases, instanceCount, type TestStorage } from './databases.ts';
import { noRedis, startTestRedis, type TestRedis } from './redis.ts';
import { testSettings } from './test-settings.ts';

// At full cost, hashing passwords takes most of the processor time of these tests. A stored hash contains its cost, so
// server processes that tests start verify these hashes as well.
Object.assign(cost, { memory: 8, passes: 1 });

/** Several servers of one cluster. */
export interface TestInstances extends AsyncDisposable {
  apps: TestApp[];
  redis: TestRedis;
  testStorage: TestStorage;
  /** Starts another server of the cluster. */
  start: (environment?: Record<string, string>, replace?: Partial<ServerParts>) => Promise<TestApp>;
}

/** A complete server on free ports with its own database, which tests call over HTTP. */
export interface TestApp extends AsyncDisposable {
  url: string;
  /** UDP port of the gateways on 127.0.0.1. */
  udpPort: number;
  /** Port for remote network servers on 127.0.0.1; 0 unless the setting `grpc` is given. */
  stationPort: number;
  grpcPort: number;
  /** Port of the join server for other network servers on 127.0.0.1; 0 unless the setting `joinServer` is given. */
  joinServerPort: number;
  /** What the server is made of. */
  parts: ServerParts;
  /** The token of the first administrator. */
  adminToken: string;
  /** Calls as the administrator unless another token, or null for none, is given. Throws CallError. */
  call: <O extends Operation>(operation: O, input: InputOf<O>, token?: string | null) => Promise<ResponseOf<O>>;
  /** Sends any request and resolves with the raw response. */
  fetch: (path: string, init?: RequestInit) => Promise<Response>;
  signIn: (email: string, password: string) => Promise<string>;
}

/** Why tests of several instances are skipped; false when they run. */
export const noInstances = databases.includes('postgres') ? noRedis : 'no PostgreSQL';

export const adminEmail = 'admin@hilltop.local';
export const adminPassword = 'test password';

/**
 * `environment` changes settings by their keys, `replace` replaces dependencies of the server. With
 * `HILLTOP_TEST_INSTANCES`, all servers use PostgreSQL and Redis, whatever `kind` is.
 */
export async function startTestApp(
  kind: DatabaseKind,
  environment: Record<string, string> = {},
  replace: Partial<ServerParts> = {},
): Promise<TestApp> {
  if (instanceCount === 0) return startIn(await createMigratedStorage(kind), environment, replace);
  return inTurn(await startInstances(instanceCount, environment, replace));
}

/** Presents several servers as one: each call goes to the next server, gateways use the first. */
function inTurn({ apps, ...parts }: TestInstances): TestApp {
  let turns = 0;
  const next = () => apps[turns++ % apps.length]!;
  const [first] = apps as [TestApp];
  return {
    ...first,
    get url() {
      return next().url;
    },
    call: (operation, input, token = first.adminToken) => next().call(operation, input, token),
    fetch: (path, init) => next().fetch(path, init),
    signIn: (email, password) => next().signIn(email, password),
    [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
  };
}

/** Starts `count` servers on one PostgreSQL and one Redis, with the keys of one data directory. */
export async function startInstances(
  count: number,
  environment: Record<string, string> = {},
  replaced: Partial<ServerParts> = {},
): Promise<TestInstances> {
  const parts = new AsyncDisposableStack();
  try {
    const redis = parts.use(await startTestRedis());
    const testStorage = parts.use(await createMigratedStorage('postgres'));
    const shared = { ...testStorage, [Symbol.asyncDispose]: () => Promise.resolve() };
    const start = async (more: Record<string, string> = {}, replace: Partial<ServerParts> = replaced) =>
      parts.use(await startIn(shared, { redisURL: redis.url, ...environment, ...more }, replace));
    const names = Array.from({ length: count }, (_, index) => `instance ${index + 1}`);
    const apps = await Promise.all(names.map((instanceName) => start({ instanceName })));
    return { apps, redis, testStorage, start, [Symbol.asyncDispose]: () => parts.disposeAsync() };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

/** Starts a server in storage that exists. */
export async function startIn(
  testStorage: TestStorage,
  environment: Record<string, string>,
  replace: Partial<ServerParts> = {},
): Promise<TestApp> {
  const config = testSettings(testStorage, { adminPassword, ...environment });
  const server = await startServer(config, { codecs: startCodecsWithLongTimeout(), ...replace });
  const url = `${config.httpTLSCert === '' ? 'http' : 'https'}://127.0.0.1:${server.httpPort}`;

  let stopping: Promise<void> | undefined;
  const client = createTestClient(url);
  const adminToken = await client.signIn(adminEmail, adminPassword);
  return {
    url,
    udpPort: server.udpPort ?? 0,
    stationPort: server.stationPort ?? 0,
    grpcPort: server.grpcPort ?? 0,
    joinServerPort: server.joinServerPort ?? 0,
    parts: server.needs,
    adminToken,
    call: (operation, input, token = adminToken) => client.call(operation, input, token),
    fetch: client.fetch,
    signIn: client.signIn,
    [Symbol.asyncDispose]: async () => {
      await (stopping ??= server.stop());
      await testStorage[Symbol.asyncDispose]();
    },
  };
}
