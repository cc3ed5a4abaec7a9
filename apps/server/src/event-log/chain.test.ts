import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { enact } from '../events/effect.ts';
import { eventRecorder } from '../events/recorder.ts';
import { databases } from '../testing/databases.ts';
import { pendingEvent } from '../testing/event.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { startTestApp } from '../testing/test-app.ts';
import { lastOfDevice } from './chain.ts';

for (const kind of databases) {
  describe(`the events of a device on ${kind}`, () => {
    it('are found from the last one on, among those of others, errors and rolled back ones', async () => {
      await using app = await startTestApp(kind);
      const { database, eventLog } = app.parts;
      const surroundings = await createSurroundings(app);
      const [one, other] = [await createDevice(app, surroundings), await createDevice(app, surroundings)];
      const recorder = eventRecorder({ ...app.parts, historySize: 0 });
      const start = await eventLog.end();
      const record = async (devEUI: string, types: readonly ('up' | 'join' | 'error')[], isKept = true) => {
        const events = types.map((type) =>
          type === 'error'
            ? pendingEvent(type, devEUI, { type: 'UPLINK_MIC', error: 'wrong code' })
            : pendingEvent(type, devEUI, {}),
        );
        const run = async () => {
          await enact(recorder.record({ about: 'a test', devEUI, events, at: new Date() }));
          if (!isKept) throw new Error('undone');
          return true;
        };
        await database.commit({ run }).catch((error: unknown) => assert.match(String(error), /undone/));
      };
      await record(one, ['up']);
      await record(other, ['join', 'up']);
      await record(one, ['error', 'join', 'error', 'up']);
      await record(one, ['up', 'up'], false);
      await record(one, ['error']);
      await Promise.all([record(one, ['up']), record(other, ['up']), record(one, ['up', 'join'])]);

      const seen = async (devEUI: string, most = 100, type?: string) =>
        (await lastOfDevice(database.query, { devEUI, most, type })).map(({ seq }) => seq);
      assert.deepEqual(
        [await seen(one), await seen(one, 2)],
        [
          [6, 5, 4, 3, 2, 1],
          [6, 5],
        ],
      );
      assert.deepEqual([await seen(other), await seen('0000000000000000')], [[3, 2, 1], []]);
      assert.deepEqual([await seen(one, 100, 'join'), await seen(one, 4, 'join')], [[6, 2], [6]]);
      const all = await eventLog.reader(undefined, start).next(100);
      const numbers = all
        .filter(({ devEUI }) => devEUI === one)
        .map(({ id, type }) => [type, Number(id.split('-')[2])]);
      assert.deepEqual(numbers.slice(0, 6), [
        ['up', 1],
        ['error', 1],
        ['join', 2],
        ['error', 2],
        ['up', 3],
        ['error', 3],
      ]);
      for (const { id } of all.filter(({ devEUI }) => devEUI === one)) assert.equal((await eventLog.find(id))?.id, id);
      for (const id of [`${one}-1-1`, `${one}-1-7`, `${surroundings.applicationID}-1-1`])
        assert.equal(await eventLog.find(id), undefined);
      const [newest] = await lastOfDevice(database.query, { devEUI: one, most: 1 });
      assert.equal((await eventLog.newest(newest!.application_id, { devEUI: one }))?.pos, newest!.pos);
      assert.equal((await eventLog.newest(newest!.application_id, { devEUI: one, type: 'error' }))?.type, 'error');
      assert.equal(await eventLog.newest(newest!.application_id + 1, { devEUI: one }), undefined);
    });
  });
}

// Readers wait for a missing number until all transactions have ended that had begun when it was noticed.
it('gives an event no number before its transaction has an id', async (t) => {
  if (!databases.includes('postgres')) return t.skip('no PostgreSQL');
  await using app = await startTestApp('postgres');
  const { database } = app.parts;
  const devEUI = await createDevice(app, await createSurroundings(app));
  await sql`create function nextval(sequence regclass) returns bigint language plpgsql as $$ begin
    if pg_current_xact_id_if_assigned() is null then raise 'no id yet'; end if;
    return pg_catalog.nextval(sequence);
  end $$`.execute(database.query);
  const recorder = eventRecorder({ ...app.parts, historySize: 0 });
  for (const change of [{ last_seen_at: new Date(), dr: 3 }, { margin: 5 }, {}]) {
    const events = [pendingEvent('up', devEUI, {})];
    await database.transaction(async () => {
      await sql`set local search_path = public, pg_catalog`.execute(database.query);
      await enact(recorder.record({ about: 'a test', devEUI, events, change, at: new Date() }));
    });
  }
  assert.equal((await lastOfDevice(database.query, { devEUI, most: 10 })).length, 3);
});
