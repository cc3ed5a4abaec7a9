import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { sql } from 'kysely';
import { searchesByIndex } from '../../database/search.ts';
import { databases } from '../../testing/databases.ts';
import { createDevice, createSurroundings, type Surroundings } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { device, internal } = operations;

for (const database of databases) {
  describe(`what the index of texts finds on ${database}`, () => {
    let app: TestApp;
    let ground: Surroundings;
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
    const add = (name: string, change: object = {}) => createDevice(app, ground, { name, ...change });

    it('is there', async () => {
      assert.equal(await searchesByIndex(app.needs.database), true);
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

    it('finds texts too short for the index', async () => {
      await add('q7');
      assert.deepEqual(await find('Q7'), ['q7']);
      assert.deepEqual(await list('q7'), ['1', 'q7']);
    });

    it('takes signs of the query language as text, but for the wildcards', async () => {
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
      const { query } = app.needs.database;
      await query.updateTable('device').set({ dev_addr: '2601fabc' }).where('dev_eui', '=', devEUI).execute();
      assert.deepEqual(await find('01FABC'), ['windsock']);
      await app.call(device.delete, { devEUI });
      assert.deepEqual([await find('windso'), await find('01fabc'), await list('windso')], [[], [], ['0']]);
      await add('windsock again');
      assert.deepEqual(await find('windso'), ['windsock again']);
    });

    it('has the one with exactly that name first among very many', async () => {
      for (let index = 0; index < 12; index += 1) await add(`crowd ${index}`);
      await app.needs.database.transaction(async () => {
        const { query } = app.needs.database;
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

    if (database === 'sqlite')
      it('keeps finding after the file was packed', async () => {
        await add('last one');
        const { query } = app.needs.database;
        await query.deleteFrom('device').where('name', '=', 'crowd 0').execute();
        await sql`vacuum`.execute(query);
        assert.deepEqual(await find('last one'), ['last one']);
      });
  });
}
