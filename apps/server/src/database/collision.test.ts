import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestDatabase, databases } from '../testing/databases.ts';

for (const kind of databases) {
  describe(`transactions that collide on ${kind}`, () => {
    it('are both written, one after the other', async () => {
      await using database = await createTestDatabase(kind);
      for (const name of ['a', 'b']) await insert(name);
      const started = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
      // SQLite has one writer, so the second does not start before the first is done.
      const meet = async (first: 'a' | 'b', second: 'a' | 'b') => {
        started[first].resolve();
        if (kind === 'postgres') await started[second].promise;
      };
      const rename = (first: 'a' | 'b', second: 'a' | 'b') =>
        database.transaction(async () => {
          await describeIt(first, first);
          await meet(first, second);
          await describeIt(second, first);
        });
      await Promise.all([rename('a', 'b'), rename('b', 'a')]);
      const rows = await database.query.selectFrom('organization').select('display_name').execute();
      assert.equal(new Set(rows.map((row) => row.display_name)).size, 1);

      async function insert(name: string) {
        const now = new Date();
        const counts = { max_gateway_count: 0, max_device_count: 0 };
        const row = { name, display_name: '', can_have_gateways: false, ...counts, created_at: now, updated_at: now };
        await database.query.insertInto('organization').values(row).execute();
      }
      async function describeIt(name: string, text: string) {
        await database.query.updateTable('organization').set({ display_name: text }).where('name', '=', name).execute();
      }
    });
  });
}
