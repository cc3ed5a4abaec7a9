import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { databases } from '../testing/databases.ts';
import { startTestApp } from '../testing/test-app.ts';

for (const kind of databases) {
  describe(`health on ${kind}`, () => {
    it('reports 503 while writes fail, although reads succeed, and 200 again afterwards', async () => {
      await using app = await startTestApp(kind);
      const { query, ping } = app.parts.database;
      const until = async (status: number) => {
        while ((await app.fetch('/health')).status !== status);
      };
      await until(200);
      await sql`alter table metric_fact rename to metric_fact_away`.execute(query);
      await until(503);
      await ping();
      await sql`alter table metric_fact_away rename to metric_fact`.execute(query);
      await until(200);
      assert.deepEqual(await query.selectFrom('metric_fact').select('id').execute(), []);
    });
  });
}
