import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { sql } from 'kysely';
import { databases } from '../testing/databases.ts';
import { createApplication, createOrganization, createServiceProfile } from '../testing/factories.ts';
import { createPublishedClient } from '../testing/published-client.ts';
import { refused } from '../testing/refused.ts';
import { adminEmail, adminPassword, startTestApp, type TestApp } from '../testing/test-app.ts';

for (const kind of databases)
  describe(`a full disk below ${kind}`, () => {
    let app: TestApp;
    let application: Record<
      'name' | 'organizationID' | 'serviceProfileID' | 'description' | 'payloadDecoderScript',
      string
    >;
    before(async () => {
      app = await startTestApp(kind);
      const organizationID = await createOrganization(app);
      const serviceProfileID = await createServiceProfile(app, { organizationID });
      await createApplication(app, { organizationID, serviceProfileID });
      const payloadDecoderScript = `// ${'x'.repeat(200_000)}`;
      application = { name: 'another', organizationID, serviceProfileID, description: 'x', payloadDecoderScript };
      const { database } = app.parts;
      // Both engines then fail with the error of a full disk: SQLite through its page limit, PostgreSQL through a
      // trigger.
      if (kind === 'sqlite')
        await database.transaction(async () => {
          await sql`pragma max_page_count = 1`.execute(database.query);
        });
      else {
        await sql`create function full_disk() returns trigger language plpgsql as
          $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(database.query);
        await sql`create trigger full_disk before insert on application
          for each row execute function full_disk()`.execute(database.query);
        await sql`create trigger full_disk before insert on session
          for each row execute function full_disk()`.execute(database.query);
      }
    });
    after(() => app[Symbol.asyncDispose]());

    const sentence = /disk of the server is full/;

    it('refuses writes with 503 by REST', async () => {
      const refusal = await refused(14, app.call(operations.application.create, { application }));
      assert.equal(refusal.httpStatus, 503);
      assert.match(refusal.message, sentence);
    });

    it('refuses writes with code 14 by gRPC', async () => {
      using client = createPublishedClient(app.url);
      await assert.rejects(client.call(operations.application.create, { application }, app.adminToken), {
        code: 14,
        message: sentence,
      });
    });

    it('refuses sign-in with 503, as every session is a row', async () => {
      // SQLite has space for some rows in pages that it has allocated.
      const { query } = app.parts.database;
      const session = await query.selectFrom('session').selectAll().executeTakeFirstOrThrow();
      const fill = async () => {
        for (;;)
          await query
            .insertInto('session')
            .values({ ...session, id: crypto.randomUUID() })
            .execute();
      };
      await assert.rejects(fill());
      const login = { email: adminEmail, password: adminPassword };
      const refusal = await refused(14, app.call(operations.internal.login, login, null));
      assert.equal(refusal.httpStatus, 503);
      assert.match(refusal.message, sentence);
    });

    it('still reads', async () => {
      const { totalCount } = await app.call(operations.application.list, { limit: 10 });
      assert.equal(totalCount, '1');
    });
  });
