import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { toApiError } from '../http/errors.ts';
import { createTestDatabase, databases } from '../testing/databases.ts';

for (const kind of databases.filter((one) => one !== 'sqlite')) {
  describe(`a database that stops answering on ${kind}`, () => {
    it('is told of as such, and asked again by the next call', async () => {
      await using database = await createTestDatabase(kind);
      const waiting = sql`select pg_sleep(60)`.execute(database.query);
      const ended = assert.rejects(waiting, (error) => {
        const { code, message } = toApiError(error);
        return code === 14 && message.startsWith('The database does not answer');
      });
      const end = sql<{ ended: boolean }>`select pg_terminate_backend(pid) as ended from pg_stat_activity
        where datname = current_database() and query like 'select pg_sleep%'`;
      while ((await end.execute(database.query)).rows.length === 0);
      await ended;
      await database.ping();
    });
  });
}
