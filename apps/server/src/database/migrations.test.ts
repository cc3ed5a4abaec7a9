import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import pg from 'pg';
import { createTestStorage, databases } from '../testing/databases.ts';
import { isOlder, version } from '../version.ts';
import type { DatabaseEngine, DatabaseKind } from './database.ts';
import type { Migration, Step } from './migration.ts';
import { migrate, readSteps, type Steps } from './migrations.ts';
import { postgres } from './postgres.ts';
import { sqlite } from './sqlite.ts';

/** From this step on, a step may run while the previous release uses the database. */
const firstHeld = '0100';

/** The statements for PostgreSQL. */
async function statementsOf(up: Migration): Promise<string[]> {
  const statements: string[] = [];
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query.sql.toLowerCase()),
  });
  await up(db, 'postgres');
  return statements;
}

/** Why the previous release could not work beside this step, or would be blocked while it runs. */
async function faultsOf({ up, contract, isOutside = false }: Step): Promise<string[]> {
  const statements = await statementsOf(up);
  const created = statements.flatMap(
    (statement) => /^create table (?:if not exists )?"(\w+)"/.exec(statement)?.[1] ?? [],
  );
  return statements.flatMap((statement) => {
    const table = /^(?:alter table|create .*index .* on) "(\w+)"/.exec(statement)?.[1];
    if (table !== undefined && created.includes(table)) return [];
    const isIndex = /^create .*\bindex\b/.test(statement);
    if (isIndex && !(isOutside && statement.includes('concurrently'))) return [`holds up writes: ${statement}`];
    const takesAway =
      /^drop (?!index concurrently )|^alter table .*\b(drop|rename|alter column|add constraint)\b|^create unique /.test(
        statement,
      ) ||
      (/^alter table .* add column/.test(statement) &&
        statement.includes('not null') &&
        !statement.includes('default'));
    return takesAway && contract === undefined ? [`takes away what the release before uses: ${statement}`] : [];
  });
}

const adding: Step = {
  up: async (db) => {
    await db.schema.createTable('made_up').addColumn('id', 'integer').execute();
    await db.schema.alterTable('user').addColumn('made_up', 'text').execute();
  },
};
const dropping: Step = {
  up: async (db) => {
    await db.schema.alterTable('user').dropColumn('note').execute();
  },
  contract: '0.2.0',
};
const indexing: Step = {
  up: async (db, kind) => {
    const beside = kind === 'postgres' ? sql`concurrently` : sql``;
    await sql`drop index ${beside} if exists user_made_up`.execute(db);
    await sql`create index ${beside} user_made_up on "user" (made_up)`.execute(db);
  },
  isOutside: true,
};

describe('migrations', () => {
  it('only add, unless they name the release that does not need what they remove', async () => {
    const steps = await readSteps();
    const held = Object.keys(steps).filter((name) => name >= firstHeld);
    let last = '0';
    for (const name of held.sort()) {
      const step = steps[name]!;
      assert.deepEqual(await faultsOf(step), [], name);
      if (step.contract === undefined) continue;
      assert.ok(!isOlder(version, step.contract), `${name} waits for a release that is not there yet`);
      assert.ok(!isOlder(step.contract, last), `${name} needs a later release, as the contract before it does`);
      last = step.contract;
    }
  });

  it('are verified by their statements', async () => {
    const tell = (statement: string): Step => ({ up: async (db) => void (await sql.raw(statement).execute(db)) });
    for (const statement of [
      'drop table "user"',
      'alter table "user" drop column "note"',
      'alter table "user" rename column "note" to "notes"',
      'alter table "user" rename to "person"',
      'alter table "user" alter column "note" set not null',
      'alter table "user" add column "rank" integer not null',
      'alter table "user" add constraint "one" unique ("note")',
    ]) {
      assert.match((await faultsOf(tell(statement))).join(), /takes away/, statement);
      assert.deepEqual(await faultsOf({ ...tell(statement), contract: '0.2.0' }), []);
    }
    assert.match((await faultsOf(tell('create index "one" on "user" ("note")'))).join(), /holds up/);
    for (const step of [adding, tell('alter table "user" add column "rank" integer default 0 not null')])
      assert.deepEqual(await faultsOf(step), []);
  });

  for (const kind of databases) {
    describe(`on ${kind}`, () => {
      it('let an older version start as long as newer ones have only added', async () => {
        await using engine = await createEngine(kind);
        const older = await readSteps();
        await migrate(engine);
        const newer: Steps = { ...older, '9998-adding': adding, '9999-indexing': indexing };
        await migrate(engine, { version: '0.2.0', others: ['0.1.0'] }, newer);
        assert.deepEqual(await migrate(engine, { version: '0.1.0', others: ['0.2.0'] }, older), []);
        await sql`select made_up, note from "user"`.execute(engine.kysely);
      });

      it('remove something when no instance needs it, and then refuse such versions', async () => {
        await using engine = await createEngine(kind);
        const older = await readSteps();
        await migrate(engine);
        const newer: Steps = { ...older, '9997-dropping': dropping, '9998-adding': adding };
        const among = (...others: string[]) => migrate(engine, { version: '0.3.0', others }, newer);
        assert.deepEqual(await among('0.2.0', '0.1.0'), ['9997-dropping']);
        await sql`select made_up, note from "user"`.execute(engine.kysely);
        assert.deepEqual(await migrate(engine, { version: '0.1.0', others: ['0.3.0'] }, older), []);
        assert.deepEqual(await among('0.2.0', '0.3.0'), []);
        await assert.rejects(sql`select note from "user"`.execute(engine.kysely));
        await assert.rejects(
          migrate(engine, { version: '0.1.9', others: [] }, older),
          /only 0\.2\.0 and newer can work/,
        );
        assert.deepEqual(await migrate(engine, { version: '0.2.0', others: [] }, older), []);
      });
    });
  }

  it('wait for statements on a table, and let others pass', { skip: !databases.includes('postgres') }, async () => {
    await using engine = await createEngine('postgres');
    await using someone = await connected(engine.url!);
    await using another = await connected(engine.url!);
    await migrate(engine);
    await someone.client.query('begin; select * from "user"');
    const migrating = migrate(
      engine,
      { version, others: [version] },
      { ...(await readSteps()), '9999-adding': adding },
    );
    const waits = 'select 1 from pg_locks where not granted and relation = \'"user"\'::regclass';
    const isWaiting = async () => {
      while ((await another.client.query(waits)).rows.length === 0);
    };
    // A migration that fails would never wait.
    await Promise.race([isWaiting(), migrating]);
    // It waits for the step, which waits for the one above.
    await another.client.query('select * from "user"');
    await someone.client.query('commit');
    assert.deepEqual(await migrating, []);
  });
});

async function createEngine(
  kind: DatabaseKind,
): Promise<DatabaseEngine & AsyncDisposable & { url: string | undefined }> {
  const testStorage = await createTestStorage(kind);
  const url = testStorage.databaseURL;
  const engine = url === undefined ? sqlite(join(testStorage.dataDir, 'hilltop.db')) : postgres(url);
  const close = async () => {
    await engine.kysely.destroy();
    await testStorage[Symbol.asyncDispose]();
  };
  return Object.assign(engine, { url, [Symbol.asyncDispose]: close });
}

async function connected(connectionString: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
