import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, databasesAndThreads } from '../testing/databases.ts';
import { Collision } from './collision.ts';
import type { Database } from './database.ts';
import { statement } from './statement.ts';
import type { Unit } from './unit.ts';
import { Violation } from './violation.ts';

for (const { name, kind, threads } of databasesAndThreads) {
  describe(`database on ${name}`, () => {
    let database: Database & AsyncDisposable;
    const failedActs: unknown[] = [];
    before(async () => {
      database = await createTestDatabase(kind, (error) => failedActs.push(error), undefined, threads);
    });
    after(() => database[Symbol.asyncDispose]());

    const names = async () =>
      (await database.query.selectFrom('organization').select('name').orderBy('name').execute()).map((row) => row.name);
    const add = (name: string) => database.query.insertInto('organization').values(organization(name)).execute();

    it('returns values in the types in which they were written', async () => {
      const now = new Date('2026-11-21T06:00:00.123Z');
      const { id } = await database.query
        .insertInto('organization')
        .values({ ...organization('types'), created_at: now, max_device_count: 5_000_000_000 })
        .returning('id')
        .executeTakeFirstOrThrow();
      const row = await database.query
        .selectFrom('organization')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.deepEqual(row.created_at, now);
      assert.equal(row.can_have_gateways, true);
      assert.equal(row.max_device_count, 5_000_000_000);
      const server = await database.query
        .insertInto('network_server')
        .values(networkServer(new Uint8Array([1, 2, 255])))
        .returning(['id', 'tls_key'])
        .executeTakeFirstOrThrow();
      assert.deepEqual(server.tls_key, new Uint8Array([1, 2, 255]));
      const profile = await database.query
        .insertInto('device_profile')
        .values(deviceProfile(id, server.id, { site: 'north' }))
        .returning('tags')
        .executeTakeFirstOrThrow();
      assert.deepEqual({ ...profile.tags }, { site: 'north' });
      await database.query.deleteFrom('device_profile').execute();
    });

    it('binds no bare parameter to a limit on SQLite, which would plan the statement again each time', () => {
      const { sql } = database.query.selectFrom('organization').select('name').limit(10).offset(3).compile();
      assert.equal(/limit \S+ \+ 0 offset \S+ \+ 0$/.test(sql), kind === 'sqlite', sql);
    });

    it('reports violations of the schema in the same way', async () => {
      await add('taken');
      const isUniqueName = ({ kind, columns }: Violation) => kind === 'unique' && columns.join() === 'name';
      await assert.rejects(add('taken'), isUniqueName);
      const missing = database.query
        .insertInto('device_profile')
        .values(deviceProfile(999_999, 999_999, {}))
        .execute();
      await assert.rejects(missing, (error: Violation) => error instanceof Violation && error.kind === 'missing');
    });

    it('rolls back a transaction that throws, and drops its actions after the commit', async () => {
      let acted = false;
      const failing = database.transaction(async () => {
        await add('undone');
        database.afterCommit(() => {
          acted = true;
        });
        throw new Error('stop');
      });
      await assert.rejects(failing, { message: 'stop' });
      assert.ok(!(await names()).includes('undone'));
      assert.equal(acted, false);
    });

    it('keeps the writes of a nested transaction only when it did not throw', async () => {
      await database.transaction(async () => {
        await add('outer');
        const inner = database.transaction(async () => {
          await add('inner');
          await add('inner');
        });
        await assert.rejects(inner, (error: Violation) => error.kind === 'unique');
        await database.transaction(async () => void (await add('second inner')));
      });
      const stored = await names();
      assert.ok(stored.includes('outer') && stored.includes('second inner') && !stored.includes('inner'));
    });

    it('runs the actions of a nested transaction when the outer one is on disk, and never when the nested one is rolled back', async () => {
      const acted: string[] = [];
      await database.transaction(async () => {
        await database.transaction(async () => database.afterCommit(() => acted.push('kept')));
        const undone = database.transaction(async () => {
          database.afterCommit(() => acted.push('undone'));
          throw new Error('stop');
        });
        await assert.rejects(undone);
        assert.deepEqual(acted, []);
      });
      assert.deepEqual(acted, ['kept']);
    });

    it('runs nested transactions that begin together one after the other', async () => {
      await database.transaction(async () => {
        const both = await Promise.allSettled([
          database.transaction(async () => {
            await add('together 1');
            await add('together 1');
          }),
          database.transaction(async () => void (await add('together 2'))),
        ]);
        assert.deepEqual(
          both.map(({ status }) => status),
          ['rejected', 'fulfilled'],
        );
      });
      const stored = await names();
      assert.deepEqual(
        stored.filter((name) => name.startsWith('together')),
        ['together 2'],
      );
    });

    it('lets work that outlives its transaction use the database itself', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      let later: Promise<unknown> | undefined;
      await database.transaction(async () => {
        later = promise.then(() => add('later'));
      });
      resolve();
      await later;
      assert.ok((await names()).includes('later'));
    });

    it('shows readers only committed rows, without making them wait', async () => {
      const [written, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const named = statement<{ name: string }>()({
        sql: 'select name from organization where name = $name',
        given: { name: 'text' },
      })(database);
      const isSeen = async () => [
        (await names()).includes('half-way'),
        (await named.all({ name: 'half-way' })).length === 1,
      ];
      const writing = database.transaction(async () => {
        await add('half-way');
        assert.deepEqual(await isSeen(), [true, true]);
        written.resolve();
        await looked.promise;
      });
      await written.promise;
      const seen = await isSeen();
      looked.resolve();
      await writing;
      assert.deepEqual(seen, [false, false]);
      assert.deepEqual(await isSeen(), [true, true]);
    });

    it('writes a separate unit in the current transaction, else in order', async () => {
      await add('calm');
      const show = (text: string) =>
        database.query.updateTable('organization').set({ display_name: text }).where('name', '=', 'calm').compile();
      const shown = async () =>
        (await database.query.selectFrom('organization').select('display_name').where('name', '=', 'calm').execute())[0]
          ?.display_name;
      const undone = database.transaction(async () => {
        await database.executeUnflushed(show('inside'));
        assert.equal(await shown(), 'inside');
        throw new Error('undo');
      });
      await assert.rejects(undone, /undo/);
      assert.notEqual(await shown(), 'inside');

      const [written, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const before = database.transaction(async () => {
        await database.execute(show('before'));
        written.resolve();
        await waiting.promise;
        throw new Error('undo');
      });
      await written.promise;
      const after = database.executeUnflushed(show('after'));
      waiting.resolve();
      await assert.rejects(before, /undo/);
      assert.equal(Number((await after).numAffectedRows), 1);
      assert.equal(await shown(), 'after');
    });

    it('writes units together, each succeeding or failing alone', async () => {
      const guarded = (name: string, mustChange: number): Unit => {
        const insert = () => database.query.insertInto('organization').values(organization(name));
        const updateNone = () =>
          database.query.updateTable('organization').set({ display_name: 'x' }).where('name', '=', 'no such');
        return {
          run: async () => {
            await insert().execute();
            return Number((await updateNone().executeTakeFirst()).numUpdatedRows) === mustChange;
          },
          prepared: {
            statements: [{ query: insert().compile() }, { query: updateNone().compile(), mustChange }],
            onWritten: () => undefined,
          },
        };
      };
      const answers = await Promise.allSettled([
        database.commit(guarded('unit 1', 0)),
        database.commit(guarded('unit 2', 1)),
        database.commit({ run: async () => Boolean(await add('unit 3')) }),
        database.commit({ run: async () => Boolean(await add('unit 3')) }),
        database.commit({ run: async () => Boolean(await add('unit 4')) && false }),
      ]);
      assert.deepEqual(
        answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : (answer.reason as Violation).kind)),
        [true, false, true, 'unique', false],
      );
      assert.deepEqual(
        (await names()).filter((name) => name.startsWith('unit')),
        ['unit 1', 'unit 3'],
      );
    });

    it('keeps the other units of a batch, and of a unit what its failed nested transaction did not write', async () => {
      const withFailedPart = async () => {
        const part = database.transaction(async () => {
          await add('failed part');
          throw new Error('stop');
        });
        await assert.rejects(part, { message: 'stop' });
        return Boolean(await add('beside a failed part'));
      };
      const units = ['batch 1', 'batch 2'].map((name) => ({ run: async () => Boolean(await add(name)) }));
      const [first, second] = units;
      assert.deepEqual(
        await Promise.all([first!, { run: withFailedPart }, second!].map((unit) => database.commit(unit))),
        [true, true, true],
      );
      assert.deepEqual(
        (await names()).filter((name) => name.includes('part') || name.startsWith('batch')),
        ['batch 1', 'batch 2', 'beside a failed part'],
      );
    });

    it('repeats no write because of an action that throws after the commit, and runs the other actions', async () => {
      const acted: string[] = [];
      const unit = (subject: string) => ({
        run: async () => {
          await database.query.insertInto('metric_fact').values({ subject, at: 0, counters: '{}' }).execute();
          database.afterCommit(() => {
            if (subject === 'b') throw new Collision(new Error('of an act'));
            acted.push(subject);
          });
          return true;
        },
      });
      failedActs.length = 0;
      assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((subject) => database.commit(unit(subject)))), [
        true,
        true,
        true,
      ]);
      await database.transaction(async () => void (await unit('b').run()));
      const rows = await database.query.selectFrom('metric_fact').select('subject').orderBy('subject').execute();
      assert.equal(rows.map(({ subject }) => subject).join(''), 'abbc');
      assert.equal(acted.join(''), 'ac');
      assert.equal(failedActs.length, 2);
    });

    it('joins a unit to the current transaction', async () => {
      const failing = database.transaction(async () => {
        assert.equal(await database.commit({ run: async () => Boolean(await add('joined')) }), true);
        throw new Error('stop');
      });
      await assert.rejects(failing, { message: 'stop' });
      assert.ok(!(await names()).includes('joined'));
    });
  });
}

const times = { created_at: new Date(), updated_at: new Date() };

function organization(name: string) {
  return { ...times, name, display_name: name, can_have_gateways: true, max_gateway_count: 0, max_device_count: 0 };
}

function networkServer(tlsKey: Uint8Array) {
  return {
    ...times,
    name: 'ns',
    server: 'localhost:8000',
    ca_cert: '',
    tls_cert: '',
    tls_key: tlsKey,
    routing_profile_ca_cert: '',
    routing_profile_tls_cert: '',
    routing_profile_tls_key: new Uint8Array(),
    gateway_discovery_enabled: false,
    gateway_discovery_interval: 0,
    gateway_discovery_tx_frequency: 0,
    gateway_discovery_dr: 0,
  };
}

function deviceProfile(organizationID: number, networkServerID: number, tags: Record<string, string>) {
  return {
    ...times,
    id: crypto.randomUUID(),
    organization_id: organizationID,
    network_server_id: networkServerID,
    name: 'dp',
    payload_codec: '',
    payload_encoder_script: '',
    payload_decoder_script: '',
    tags,
    uplink_interval_ms: 0,
  };
}
