import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { filesIn } from '../data-directory.ts';
import { createDatabase, type Database, type DatabaseEngine, type DatabaseKind } from '../database/database.ts';
import { migrate } from '../database/migrations.ts';
import { postgres } from '../database/postgres.ts';
import { sqlite } from '../database/sqlite.ts';

const server = process.env['HILLTOP_TEST_POSTGRES_URL'];

/** `HILLTOP_TEST_INSTANCES`: number of servers with Redis behind each test server; tests then skip SQLite. */
export const instanceCount = Number(process.env['HILLTOP_TEST_INSTANCES'] ?? 0);

/** The databases that tests run on: SQLite always, PostgreSQL when `HILLTOP_TEST_POSTGRES_URL` names a server. */
export const databases: DatabaseKind[] = server ? ['sqlite', 'postgres'] : ['sqlite'];
if (instanceCount > 0) databases.shift();

/** The databases, and SQLite again with a thread that writes to it. */
export const databasesAndThreads = databases.flatMap((kind): TestedDatabase[] =>
  kind === 'postgres'
    ? [{ name: kind, kind, threads: 1 }]
    : [
        { name: kind, kind, threads: 1 },
        { name: `${kind} with 2 threads`, kind, threads: 2 },
      ],
);

interface TestedDatabase {
  name: string;
  kind: DatabaseKind;
  threads: number;
}

/** Storage of one test: a data directory, and on PostgreSQL a database with this URL. */
export interface TestStorage extends AsyncDisposable {
  dataDir: string;
  databaseURL: string | undefined;
}

/** Migrated database file of `make-template.ts`, which tests copy. On PostgreSQL, a database of this name is copied. */
const template = process.env['HILLTOP_TEST_TEMPLATE'];
export const templateName = 'hilltop_test_template';

/** Creates empty storage without a schema. */
export const createTestStorage = (kind: DatabaseKind): Promise<TestStorage> => storageLike(kind);

/**
 * Creates storage with the current schema from the template, because migrations take longer than most tests. Without a
 * template the storage is empty and the server migrates it.
 */
export async function createMigratedStorage(kind: DatabaseKind): Promise<TestStorage> {
  if (!template) return createTestStorage(kind);
  const testStorage = await storageLike(kind, template);
  const engine = engineIn(testStorage);
  await sql`update installation set application_server_id = ${crypto.randomUUID()}`.execute(engine.kysely);
  await engine.kysely.destroy();
  return testStorage;
}

async function storageLike(kind: DatabaseKind, like?: string): Promise<TestStorage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hilltop-test-'));
  const name = `hilltop_test_${randomBytes(6).toString('hex')}`;
  if (kind === 'postgres')
    await onServer(`create database ${name}${like ? ` template ${templateName} strategy file_copy` : ''}`);
  else if (like) await copyFile(like, filesIn(dataDir).databaseFile);
  return {
    dataDir,
    databaseURL: kind === 'postgres' ? onSameServer(name) : undefined,
    [Symbol.asyncDispose]: async () => {
      if (kind === 'postgres') await onServer(`drop database if exists ${name} with (force)`);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** URL of a database of the tests' PostgreSQL server. */
export const onSameServer = (name: string): string => Object.assign(new URL(server!), { pathname: `/${name}` }).href;

const engineIn = ({ databaseURL, dataDir }: TestStorage, threads = 1): DatabaseEngine =>
  databaseURL ? postgres(databaseURL) : sqlite(filesIn(dataDir).databaseFile, { isThreaded: threads > 1 });

/** An empty database with the current schema. Dispose it to close and remove it. */
export async function createTestDatabase(
  kind: DatabaseKind,
  actFailed: (error: unknown) => void = (error) => assert.fail(String(error)),
  fellApart?: (error: unknown, units: number) => void,
  threads?: number,
): Promise<Database & AsyncDisposable> {
  const testStorage = await createMigratedStorage(kind);
  const database = await openTestDatabase(testStorage, actFailed, fellApart, threads);
  const close = database[Symbol.asyncDispose];
  return Object.defineProperty(database, Symbol.asyncDispose, {
    value: async () => {
      await close();
      await testStorage[Symbol.asyncDispose]();
    },
  });
}

/** Opens the database of this storage, as each of several processes does. Dispose it to close it. */
export async function openTestDatabase(
  testStorage: TestStorage,
  actFailed: (error: unknown) => void = (error) => assert.fail(String(error)),
  fellApart?: (error: unknown, units: number) => void,
  threads?: number,
): Promise<Database & AsyncDisposable> {
  const engine = engineIn(testStorage, threads);
  await migrate(engine);
  const database = createDatabase(engine, actFailed, fellApart);
  return Object.defineProperty(database as Database & AsyncDisposable, Symbol.asyncDispose, {
    value: () => database.close(),
    configurable: true,
  });
}

/** Runs a statement at the tests' PostgreSQL server or another one, such as `create database`. */
export async function onServer(statement: string, connectionString = server): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
