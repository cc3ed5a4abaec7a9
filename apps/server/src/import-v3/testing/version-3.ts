/** An installation of version 3 for tests: both databases with its own tables, and a real Redis. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@hilltop/simulator';
import { Redis } from 'ioredis';
import pg from 'pg';
import { onServer } from '../../testing/databases.ts';
import { waitForRedis } from '../../testing/redis.ts';
import { applicationServerTables, networkServerTables } from './version-3-tables.ts';

const server = process.env['HILLTOP_TEST_POSTGRES_URL'];
const program = '/usr/bin/redis-server';

/** As an option of a test it states why the test is skipped. */
export const needsVersion3 = {
  skip: server === undefined ? 'no PostgreSQL' : existsSync(program) ? false : 'redis-server is not installed',
};

/** `ns2` is the database of a second network server, which uses the Redis of the first with its own prefix. */
export type Version3Database = 'as' | 'ns' | 'ns2';
type Row = Readonly<Record<string, unknown>>;

export interface Version3 extends AsyncDisposable {
  /** Paths of the settings files. */
  config: string;
  networkServerConfig: string;
  secondNetworkServerConfig: string;
  redis: Redis;
  redisPort: number;
  dsnOf: (database: Version3Database) => string;
  query: (database: Version3Database, text: string, values?: unknown[]) => Promise<Row[]>;
  /** Values by column. Missing columns get the default of the table. */
  insert: (database: Version3Database, table: string, ...rows: Row[]) => Promise<void>;
  /** More lines of a file, after those with the addresses of the databases. */
  writeConfig: (of: Version3Database, more: string) => Promise<void>;
  writeUsualConfigs: () => Promise<void>;
}

/** The prefix of the second network server in Redis. */
export const secondPrefix = 'second:';
export const applicationServerID = '6d5db27e-4ce2-4b2b-b5d7-91f069397978';

/** Creates both databases at the PostgreSQL server of the tests, or at another. */
export async function startVersion3(postgresURL = server): Promise<Version3> {
  const directory = await mkdtemp(join(tmpdir(), 'hilltop-v3-'));
  const port = await freePort();
  const process = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory], {
    stdio: 'ignore',
  });
  await waitForRedis(process, `redis://127.0.0.1:${port}`);
  const redis = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  const names = { as: nameOf('as'), ns: nameOf('ns'), ns2: nameOf('ns2') };
  for (const name of Object.values(names)) await onServer(`create database ${name}`, postgresURL);
  const urlOf = (name: string) => Object.assign(new URL(postgresURL!), { pathname: `/${name}` }).href;
  const connect = (name: string) => connected(urlOf(name));
  const clients = { as: await connect(names.as), ns: await connect(names.ns), ns2: await connect(names.ns2) };
  await clients.as.query(applicationServerTables);
  for (const client of [clients.ns, clients.ns2]) await client.query(networkServerTables);
  const files = { as: join(directory, 'as.toml'), ns: join(directory, 'ns.toml'), ns2: join(directory, 'ns2.toml') };

  const writeConfig = async (of: Version3Database, more: string) => {
    const places = `[postgresql]\ndsn="${urlOf(names[of])}?sslmode=disable"\n[redis]\nservers=["127.0.0.1:${port}"]\ndatabase=${of === 'as' ? 1 : 0}\n`;
    await writeFile(files[of], places + more);
  };
  const writeUsualConfigs = async () => {
    const server = `[application_server]\nid="${applicationServerID}"\n`;
    await writeConfig('as', `${server}[application_server.external_api]\njwt_secret="verysecret"\n`);
    await writeConfig('ns', '[network_server]\nnet_id="000000"\n[network_server.band]\nname="EU868"\n');
    await writeConfig('ns2', `key_prefix="${secondPrefix}"\n[network_server.band]\nname="AS923"\n`);
  };
  await writeUsualConfigs();

  return {
    config: files.as,
    networkServerConfig: files.ns,
    secondNetworkServerConfig: files.ns2,
    redis,
    redisPort: port,
    dsnOf: (database) => `${urlOf(names[database])}?sslmode=disable`,
    query: async (database, text, values = []) => (await clients[database].query<Row>(text, values)).rows,
    insert: async (database, table, ...rows) => {
      for (const row of rows) {
        const columns = Object.keys(row);
        const holes = columns.map((_, index) => `$${index + 1}`).join(', ');
        const names = columns.map((column) => `"${column}"`).join(', ');
        await clients[database].query(`insert into "${table}" (${names}) values (${holes})`, Object.values(row));
      }
    },
    writeConfig,
    writeUsualConfigs,
    [Symbol.asyncDispose]: async () => {
      redis.disconnect();
      for (const client of Object.values(clients)) await client.end();
      for (const name of Object.values(names))
        await onServer(`drop database if exists ${name} with (force)`, postgresURL);
      process.kill();
      await once(process, 'exit');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const nameOf = (of: Version3Database) => `hilltop_test_v3_${of}_${randomBytes(6).toString('hex')}`;
async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}
