import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { seededRandom } from '@hilltop/simulator';
import { type Compilable, CompiledQuery, sql } from 'kysely';
import { searchText } from '../../database/page.ts';
import { beside, holdsText, isNamed, searchesByIndex } from '../../database/search.ts';
import { sqlWith } from '../../database/sql-with.ts';
import { unindexedTexts } from '../../database/unindexed-texts.ts';
import { databases } from '../../testing/databases.ts';
import { createApplication } from '../../testing/factories.ts';
import { createDevice, createSurroundings, type FieldContext } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { insertDevice } from '../device/store.ts';
import { searchEverything } from './search.ts';

const { application, device, internal } = operations;
const undescribed = {
  description: '',
  skipFCntCheck: false,
  referenceAltitude: 0,
  variables: {},
  tags: {},
  isDisabled: false,
};

for (const database of databases) {
  describe(`the text index on ${database}`, () => {
    let app: TestApp;
    let ground: FieldContext;
    before(async () => {
      app = await startTestApp(database);
      ground = await createSurroundings(app);
    });
    after(() => app[Symbol.asyncDispose]());

    const find = async (search: string) => {
      const { result } = await app.call(internal.globalSearch, { search, limit: 10 });
      return result.map((one) => one.deviceName).sort();
    };
    const list = async (search: string) => {
      const { totalCount, result } = await app.call(device.list, { search, limit: 10 });
      return [totalCount, ...result.map(({ name }) => name)];
    };
    async function planOf(rows: Compilable): Promise<string> {
      const { sql: text, parameters } = rows.compile();
      const explain = CompiledQuery.raw(`explain query plan ${text}`, [...parameters]);
      const { rows: steps } = await app.parts.database.query.executeQuery<{ detail: string }>(explain);
      return steps[0]!.detail;
    }
    /** Names in any form, as versions before the rule for names stored them. */
    const add = async (name: string, change: object = {}) => {
      const devEUI = await createDevice(app, ground, change);
      const rows = app.parts.database.query.updateTable('device').where('dev_eui', '=', devEUI);
      await rows.set({ name, search_text: searchText(name, devEUI) }).execute();
      return devEUI;
    };

    it('exists', async () => {
      assert.equal(await searchesByIndex(app.parts.database), true);
    });

    if (database === 'postgres')
      it('is used whatever the number of rows and the cached plan', async () => {
        const needed = app.parts.database;
        await needed
          .transaction(async () => {
            const { query } = needed;
            const columns = sql<{ list: string }>`
            select string_agg(quote_ident(column_name), ', ') as list from information_schema.columns
            where table_name = 'device' and is_generated = 'NEVER'
              and column_name not in ('dev_eui', 'name', 'search_text')`;
            await insertDevice(
              needed,
              { ...undescribed, ...ground, devEUI: 'aa00000000000000', name: 'first' },
              new Date(),
            );
            const list = sql.raw((await columns.execute(query)).rows[0]!.list);
            await sql`
            insert into device (dev_eui, name, search_text, ${list})
            select 'ab' || lpad(n::text, 14, '0'), 'n' || n, md5(n::text), ${list} from device, generate_series(1, 6000) n
            where dev_eui = 'aa00000000000000'`.execute(query);
            await sql`analyze device`.execute(query);
            await sql`set local plan_cache_mode = force_generic_plan`.execute(query);
            const read = async () => {
              const reads = sql<{ count: number }>`
              select seq_scan as count from pg_stat_xact_user_tables where relname = 'device'`;
              return (await reads.execute(query)).rows[0]!.count;
            };
            const before = await read();
            await searchEverything(needed, {
              search: '003919',
              organizationIDs: undefined,
              memberOf: undefined,
              within: undefined,
              limit: 10,
              offset: 0,
            });
            assert.equal((await read()) - before, 0);
            throw new Error('undone');
          })
          .catch((error: Error) => assert.equal(error.message, 'undone', String(error.stack)));
      });

    it('orders equally similar results by name', async () => {
      for (const name of ['pump c', 'pump a', 'pump b']) await add(name);
      const { result } = await app.call(internal.globalSearch, { search: 'pump', limit: 10 });
      assert.equal(new Set(result.map(({ score }) => score)).size, 1);
      assert.deepEqual(
        result.map((one) => one.deviceName),
        ['pump a', 'pump b', 'pump c'],
      );
      for (const offset of [0, 1, 2, 3]) {
        const page = await app.call(internal.globalSearch, { search: 'pump', limit: 2, offset });
        assert.deepEqual(page.result, result.slice(offset, offset + 2));
      }
    });

    it('finds umlauts and other scripts in either case', async () => {
      await add('Kühlhaus Süd');
      await add('теплица 7');
      for (const text of ['kühlhaus', 'HAUS SÜ', 'ühl', 'üd']) {
        assert.deepEqual(await find(text), ['Kühlhaus Süd'], text);
        assert.deepEqual(await list(text), ['1', 'Kühlhaus Süd'], text);
      }
      assert.deepEqual(await find('ПЛИЦА'), ['теплица 7']);
    });

    it('finds texts that are too short for the index', async () => {
      await add('q7');
      assert.deepEqual(await find('Q7'), ['q7']);
      assert.deepEqual(await list('q7'), ['1', 'q7']);
    });

    it('treats operators of the query language as text, except wildcards', async () => {
      await add(`odd "quote' \\ (x) OR NEAR*`);
      for (const text of [`"quote'`, `' \\`, '(x) OR', 'NEAR*', 'odd "q', 'x\\', 'odd%near', 'o_d "quo'])
        assert.equal((await find(text)).length, text === 'x\\' ? 0 : 1, text);
    });

    it('follows renames, new addresses, new tags and deletions', async () => {
      const devEUI = await add('weathercock', { tags: { roof: 'east' } });
      await add('weathervane');
      await app.call(device.update, {
        device: { ...(await app.call(device.get, { devEUI })).device!, name: 'windsock', tags: { roof: 'west' } },
      });
      assert.deepEqual(await find('weather'), ['weathervane']);
      assert.deepEqual(await find('windso'), ['windsock']);
      assert.deepEqual([await find('roof:east'), await find('roof:west')], [[], ['windsock']]);
      const { query } = app.parts.database;
      await query.updateTable('device').set({ dev_addr: '2601fabc' }).where('dev_eui', '=', devEUI).execute();
      assert.deepEqual(await find('01FABC'), ['windsock']);
      await app.call(device.delete, { devEUI });
      assert.deepEqual([await find('windso'), await find('01fabc'), await list('windso')], [[], [], ['0']]);
      await add('windsock again');
      assert.deepEqual(await find('windso'), ['windsock again']);
    });

    it('returns the exact name first among very many', async () => {
      for (let index = 0; index < 12; index += 1) await add(`crowd ${index}`);
      await app.parts.database.transaction(async () => {
        const { query } = app.parts.database;
        const one = await query
          .selectFrom('device')
          .selectAll()
          .where('name', '=', 'crowd 0')
          .executeTakeFirstOrThrow();
        for (let index = 100; index < 700; index += 1) {
          const [name, dev_eui] = [`crowd ${index}`, `ffff0000000${index}00`];
          await query
            .insertInto('device')
            .values({ ...one, search_row: undefined, name, dev_eui, search_text: `${name}\n${dev_eui}` } as typeof one)
            .execute();
        }
        await query
          .insertInto('device')
          .values({
            ...one,
            search_row: undefined,
            name: 'crowd',
            dev_eui: 'ffff',
            search_text: 'crowd\nffff',
          } as typeof one)
          .execute();
      });
      const { result } = await app.call(internal.globalSearch, { search: 'crowd', limit: 3 });
      assert.equal(result[0]?.deviceName, 'crowd');
      assert.equal((await list('crowd'))[0], '613');
      assert.deepEqual(await list('crowd 345'), ['1', 'crowd 345']);
    });

    it('finds a frequent word however often it is searched and whatever changes', async () => {
      const { query, kind } = app.parts.database;
      const [own, other] = [await createSurroundings(app), await createSurroundings(app)];
      await add('the plentiful', own);
      const fill = async (many: number, word = 'plentiful', first = 0) => {
        const one = await query
          .selectFrom('device')
          .selectAll()
          .where('name', '=', 'the plentiful')
          .executeTakeFirstOrThrow();
        const rows = Array.from({ length: many }, (_, index) => {
          const [name, dev_eui] = [`${word} ${index}`, `fefe${String(first + index).padStart(12, '0')}`];
          const application_id = Number((index % 5 === 0 ? other : own).applicationID);
          return { ...one, application_id, name, dev_eui, search_text: `${name}\n${dev_eui}` };
        }).map((row) => (kind === 'sqlite' ? { ...row, search_row: undefined } : row));
        await query
          .insertInto('device')
          .values(rows as (typeof one)[])
          .execute();
      };
      const found = async (organizationIDs?: number[]) => {
        const all = await searchEverything(app.parts.database, {
          search: 'plentiful',
          limit: 1000,
          offset: 0,
          organizationIDs,
          memberOf: organizationIDs,
          within: undefined,
        });
        assert.equal(new Set(all.map((one) => one.deviceDevEUI)).size, all.length);
        return [all.length, ...new Set(all.map((one) => one.organizationID))].map(Number);
      };
      const ofOther = Number(other.organizationID);
      await fill(900);
      // More rows than are read in file order, and one match after them.
      const between = kind === 'postgres' ? 7 : 1;
      for (let times = 0; times < between; times += 1) await fill(600, `scarce ${times}`, 10_000 + times * 1_000);
      await fill(1, 'plentiful late', 20_000);
      for (let turn = 0; turn < 3; turn += 1) {
        assert.equal((await found())[0], 200);
        assert.deepEqual(await found([ofOther]), [181, ofOther]);
      }
      await query
        .deleteFrom('device')
        .where('dev_eui', '>=', 'fefe000000000050')
        .where('dev_eui', '<', 'fefe000000001000')
        .execute();
      for (let turn = 0; turn < 3; turn += 1) {
        assert.equal((await found())[0], 52);
        assert.deepEqual(await found([ofOther]), [11, ofOther]);
      }
      assert.deepEqual(await found([0]), [0]);
    });

    it('counts again after a device was created, renamed, tagged, moved or removed', async () => {
      const total = async (filter: object) => (await app.call(device.list, { ...filter, limit: 1 })).totalCount;
      const vanes = () => total({ search: 'vane' });
      const onRoof = async () => {
        const headers = { Authorization: `Bearer ${app.adminToken}` };
        const answer = await app.fetch('/api/devices?limit=1&tags[place]=roof', { headers });
        return ((await answer.json()) as { totalCount: string }).totalCount;
      };
      const here = () => total({ search: 'vane', applicationID: ground.applicationID });
      const before = Number(await vanes());
      const devEUI = await createDevice(app, ground, { name: 'vane-1' });
      assert.equal(await vanes(), String(before + 1));
      assert.deepEqual([await onRoof(), await here()], ['0', String(before + 1)]);
      const change = async (fields: object) => {
        const { device: known } = await app.call(device.get, { devEUI });
        await app.call(device.update, { device: { ...known!, ...fields } });
      };
      await change({ tags: { place: 'roof' } });
      assert.deepEqual([await vanes(), await onRoof()], [String(before + 1), '1']);
      await change({ name: 'sock-1' });
      assert.deepEqual([await vanes(), await onRoof()], [String(before), '1']);
      await app.call(device.delete, { devEUI });
      assert.deepEqual([await vanes(), await onRoof()], [String(before), '0']);
      const other = await createApplication(app, {
        organizationID: ground.organizationID,
        serviceProfileID: ground.serviceProfileID,
      });
      await createDevice(app, { ...ground, applicationID: other }, { name: 'vane-2' });
      assert.deepEqual([await vanes(), await here()], [String(before + 1), String(before)]);
      await app.call(application.delete, { id: other });
      assert.equal(await vanes(), String(before));
    });

    it('finds the same as a scan of all names', async () => {
      const random = seededRandom(7);
      const pick = <T>(choices: ArrayLike<T>) => choices[Math.floor(random() * choices.length)]!;
      const text = (length: number) => Array.from({ length }, () => pick(Array.from('aab%_ ü"\\-Ж9'))).join('');
      const { applicationID } = await createSurroundings(app);
      const names = Array.from({ length: 700 }, (_, index) => `${text(2 + Math.floor(random() * 8))} ${index}`);
      const rows = names.map((name, index) => ({ name, devEUI: `beef${index.toString(16).padStart(12, '0')}` }));
      await app.parts.database.transaction(async () => {
        for (const row of rows)
          await insertDevice(
            app.parts.database,
            { ...undescribed, ...row, applicationID, deviceProfileID: ground.deviceProfileID },
            new Date(),
          );
      });
      const asked = Array.from({ length: 150 }, (_, turn) =>
        turn % 3 === 0 ? text(1 + Math.floor(random() * 4)) : pick(names).slice(turn % 4, 3 + (turn % 9)),
      ).filter((one) => one !== '');
      for (const search of asked) {
        const pattern = new RegExp(
          search
            .toLowerCase()
            .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
            .replaceAll('%', '[^]*')
            .replaceAll('_', '[^]'),
          'u',
        );
        const expected = rows.filter(({ name, devEUI }) => pattern.test(`${name}\n${devEUI}`.toLowerCase()));
        const { totalCount, result } = await app.call(device.list, { applicationID, search, limit: 1000 });
        assert.equal(totalCount, String(expected.length), search);
        assert.deepEqual(
          result.map(({ devEUI }) => devEUI).sort(),
          expected.map(({ devEUI }) => devEUI),
          search,
        );
        if (expected.length >= 200) continue;
        const everywhere = (await app.call(internal.globalSearch, { search, limit: 1000 })).result;
        const of = everywhere.filter((one) => one.applicationID === applicationID && one.kind === 'device');
        if (everywhere.length < 200)
          assert.deepEqual(
            of.map((one) => one.deviceDevEUI).sort(),
            expected.map(({ devEUI }) => devEUI),
            search,
          );
      }
    });

    if (database === 'sqlite')
      describe('devices that are not indexed yet', () => {
        const waiting = async () => {
          const { rows } = await sql<{ name: string }>`select name from device where search_row = 0`.execute(
            app.parts.database.query,
          );
          return rows.map(({ name }) => name);
        };
        const indexAll = () => unindexedTexts(app.parts.database).indexAll();

        it('are found, also renamed, and not after they are removed', async () => {
          await indexAll();
          const devEUI = await add('larch 1', { tags: { bark: 'rough' } });
          await add('larch 2');
          // As after a start: no message has announced the devices to index.
          await indexAll();
          await app.parts.database.transaction(async () => {
            const { query } = app.parts.database;
            const larches = query.selectFrom('device').selectAll().where('name', 'like', 'larch%');
            const rows = (await larches.execute()).map((row) => ({ ...row, search_row: 0 }));
            await query.deleteFrom('device').where('name', 'like', 'larch%').execute();
            await query.insertInto('device').values(rows).execute();
          });
          assert.deepEqual(await find('larch'), ['larch 1', 'larch 2']);
          assert.deepEqual(await find('bark:rough'), ['larch 1']);
          const { device: known } = await app.call(device.get, { devEUI });
          await app.call(device.update, { device: { ...known!, name: 'cedar-1' } });
          assert.deepEqual(
            [await find('larch 1'), await find('cedar-1'), await list('cedar-1')],
            [[], ['cedar-1'], ['1', 'cedar-1']],
          );
          await indexAll();
          assert.deepEqual(
            [await waiting(), await find('cedar-1'), await find('larch 2')],
            [[], ['cedar-1'], ['larch 2']],
          );
          await app.call(device.delete, { devEUI });
          assert.deepEqual(await find('cedar-1'), []);
        });

        it('are indexed in batches while searches find them', async () => {
          const names = Array.from({ length: 330 }, (_, index) => `spruce ${index}.`);
          let next = 0;
          const work = async () => {
            while (next < names.length) {
              const name = names[next++]!;
              await add(name);
              assert.deepEqual(await find(name), [name]);
            }
          };
          await Promise.all(Array.from({ length: 8 }, work));
          await indexAll();
          await indexAll();
          assert.deepEqual(await waiting(), []);
          for (const name of names) assert.deepEqual(await find(name), [name]);
        });
      });

    if (database === 'sqlite')
      it('are searched without a scan of all rows', async () => {
        const { query } = app.parts.database;
        const match = await holdsText(app.parts.database, 'device', ['device.search_text'], 'last thing');
        const ofApplication = query.selectFrom('device').where(beside(match, 'device.application_id'), '=', 1);
        assert.match(await planOf(ofApplication.where(match.rule).orderBy('name').select('name')), /\(dev_eui=\?\)/);
        for (const table of ['device', 'gateway', 'application'] as const) {
          const named = query
            .selectFrom(table)
            .select('name')
            .where(sqlWith<boolean>(isNamed('sqlite', `${table}.name`), { name: 'a' }));
          assert.match(await planOf(named), /INDEX \w+_order \(.*=\?/);
        }
      });

    if (database === 'sqlite')
      it('are found after the file was vacuumed', async () => {
        await add('last one');
        const { query } = app.parts.database;
        await query.deleteFrom('device').where('name', '=', 'crowd 0').execute();
        await sql`vacuum`.execute(query);
        assert.deepEqual(await find('last one'), ['last one']);
      });
  });
}
