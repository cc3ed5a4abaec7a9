import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createDatabase, type Database, type DatabaseKind } from '../database/database.ts';
import { migrate } from '../database/migrations.ts';
import { postgres } from '../database/postgres.ts';
import { sqlite } from '../database/sqlite.ts';

const server = process.env['HILLTOP_TEST_POSTGRES_URL'];

/** `HILLTOP_TEST_INSTANCES`: so many servers with Redis stand behind each test server, and SQLite is left out. */
export const instanceCount = Number(process.env['HILLTOP_TEST_INSTANCES'] ?? 0);

/** What tests loop over: SQLite always, PostgreSQL when `HILLTOP_TEST_POSTGRES_URL` names a server. */
export const databases: DatabaseKind[] = server ? ['sqlite', 'postgres'] : ['sqlite'];
if (instanceCount > 0) databases.shift();

/** A place of its own for one test's data: a directory, and on PostgreSQL a database by that URL. */
export interface TestPlace extends AsyncDisposable {
  dataDir: string;
  databaseURL: string | undefined;
}

export async function createTestPlace(kind: DatabaseKind): Promise<TestPlace> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hilltop-test-'));
  const name = `hilltop_test_${randomBytes(6).toString('hex')}`;
  if (kind === 'postgres') await onServer(`create database ${name}`);
  return {
    dataDir,
    databaseURL: kind === 'postgres' ? Object.assign(new URL(server!), { pathname: `/${name}` }).href : undefined,
    [Symbol.asyncDispose]: async () => {
      if (kind === 'postgres') await onServer(`drop database if exists ${name} with (force)`);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** An empty database with the current schema. Dispose it to close and remove it. */
export async function createTestDatabase(
  kind: DatabaseKind,
  actFailed: (error: unknown) => void = (error) => assert.fail(String(error)),
  fellApart?: (error: unknown, units: number) => void,
): Promise<Database & AsyncDisposable> {
  const place = await createTestPlace(kind);
  const database = await openTestDatabase(place, actFailed, fellApart);
  const close = database[Symbol.asyncDispose];
  return Object.defineProperty(database, Symbol.asyncDispose, {
    value: async () => {
      await close();
      await place[Symbol.asyncDispose]();
    },
  });
}

/** The database of that place, as one process of perhaps several has it. Dispose it to close it. */
export async function openTestDatabase(
  { databaseURL, dataDir }: TestPlace,
  actFailed: (error: unknown) => void = (error) => assert.fail(String(error)),
  fellApart?: (error: unknown, units: number) => void,
): Promise<Database & AsyncDisposable> {
  const engine = databaseURL ? postgres(databaseURL) : sqlite(join(dataDir, 'hilltop.db'));
  await migrate(engine);
  const database = createDatabase(engine, actFailed, fellApart);
  return Object.defineProperty(database as Database & AsyncDisposable, Symbol.asyncDispose, {
    value: () => database.close(),
    configurable: true,
  });
}

/** Runs a statement at the PostgreSQL server of the tests or another one, such as one that makes a database. */
export async function onServer(statement: string, connectionString = server): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
