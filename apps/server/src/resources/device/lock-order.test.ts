import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { operations } from '@hilltop/contract';
import type { Write } from '@hilltop/network-server';
import { sql } from 'kysely';
import type { ServerEffect } from '../../events/effect.ts';
import { createNetworkState } from '../../network/state.ts';
import { databases } from '../../testing/databases.ts';
import { createDevice, createSurroundings, type FieldContext } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { lockDevice } from './store.ts';

// SQLite has one writer.
if (databases.includes('postgres'))
  describe('devices that are created and deleted at several instances', () => {
    let app: TestApp;
    let surroundings: FieldContext;
    before(async () => {
      app = await startTestApp('postgres');
      surroundings = await createSurroundings(app);
    });
    after(() => app[Symbol.asyncDispose]());

    /** Resolves when `call` waits for a row lock. */
    async function waiting(call: Promise<unknown>): Promise<void> {
      const waits = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      const ended = call.then(() => assert.fail('it waited for nobody'));
      const { query } = app.parts.database;
      const seen = async () => {
        while ((await waits.execute(query)).rows.length === 0) {
          await pause(10);
          // In a transaction the first read fixes the snapshot.
          await sql`select pg_stat_clear_snapshot()`.execute(query);
        }
      };
      await Promise.race([ended, seen()]);
    }

    const statementsBefore = {
      'an uplink, which begins with the device,': 0,
      'a downlink, which ends with the device,': 1,
    };
    for (const [title, before] of Object.entries(statementsBefore))
      it(`and ${title} lock the device first, then its due work`, () => lockInOrder(before));

    /** A call and a commit for one device at once; other statements of the commit precede that of the device. */
    async function lockInOrder(statementsBeforeDevice: number): Promise<void> {
      const devEUI = await createDevice(app, surroundings);
      const { database, secrets, clock } = app.parts;
      const state = createNetworkState({ database, secrets, clock }, 1);
      const askDue: Write = { kind: 'askDue', work: { kind: 'queue', key: devEUI }, at: Number.MAX_SAFE_INTEGER };
      await state.commit({ writes: [askDue], effects: [] });
      const runs = { call: 0, frame: 0 };
      const write = async () => {
        runs.frame += 1;
        for (let nth = 0; nth < statementsBeforeDevice; nth += 1) await sql`select 1`.execute(database.query);
        await database.query.updateTable('device').set({ dr: 3 }).where('dev_eui', '=', devEUI).execute();
      };
      const effect: ServerEffect = { about: 'a test', write };
      const isLocked = Promise.withResolvers<void>();
      const frame = isLocked.promise.then(() => state.commit({ writes: [askDue], effects: [effect] }));
      await database.transaction(async () => {
        runs.call += 1;
        await lockDevice(database, devEUI);
        isLocked.resolve();
        await waiting(frame);
        await state.commit({ writes: [askDue], effects: [] });
      });
      assert.equal(await frame, true);
      assert.deepEqual(runs, { call: 1, frame: 1 });
    }

    const ways: Record<string, () => Promise<unknown>> = {
      'one is made': () => createDevice(app, surroundings),
      'one is deleted': () => app.call(operations.device.delete, { devEUI: made }),
      'their application is deleted': () => app.call(operations.application.delete, { id: surroundings.applicationID }),
    };
    let made: string;

    for (const [title, way] of Object.entries(ways))
      it(`lock nothing of their application while they wait for the organization when ${title}`, async () => {
        made = await createDevice(app, surroundings);
        const { organizationID, applicationID } = surroundings;
        const call = await app.parts.database.transaction(async () => {
          const { query } = app.parts.database;
          const row = query.updateTable('organization').set({ name: 'held' });
          await row.where('id', '=', Number(organizationID)).execute();
          const under = way();
          await waiting(under);
          const ofApplication = query.selectFrom('application').select('id').where('id', '=', Number(applicationID));
          await ofApplication.forNoKeyUpdate().noWait().execute();
          return { under };
        });
        await call.under;
      });
  });
