import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { up as event } from '../database/migrations/0050-event.ts';
import { up as eventChain } from '../database/migrations/0059-event-chain.ts';
import { createSteadyTime } from '../database/steady-time.ts';
import { readHistory } from '../events/history.ts';
import { createMetrics } from '../metrics.ts';
import { databases } from '../testing/databases.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { startTestApp } from '../testing/test-app.ts';
import { createEventLog } from './log.ts';

for (const kind of databases) {
  it(`moves the rings of the devices into the log on ${kind}`, async () => {
    await using app = await startTestApp(kind);
    const { database } = app.parts;
    const { query } = database;
    const surroundings = await createSurroundings(app);
    const devEUI = await createDevice(app, surroundings);
    const other = await createDevice(app, surroundings);
    for (const table of ['event', 'event_mark', 'last_error']) await query.schema.dropTable(table).execute();
    await sql`create table device_event (dev_eui text not null, slot bigint not null, seq bigint not null,
      type text not null, payload_json text not null, published_at text not null, stream_id text not null,
      count integer not null default 1, primary key (dev_eui, slot))`.execute(query);
    const keep = (
      of: string,
      { slot, seq, ms, count = 1 }: { slot: number; seq: number; ms: number; count?: number },
    ) => {
      const at = new Date(ms).toISOString();
      const payload = JSON.stringify({ publishedAt: at, ...(slot < 0 ? { error: 'wrong code' } : { fCnt: seq }) });
      return sql`insert into device_event values (${of}, ${slot}, ${seq}, ${slot < 0 ? 'error' : 'up'}, ${payload},
        ${at}, ${`${ms}-${seq}`}, ${count})`.execute(query);
    };
    const start = Date.UTC(2026, 0, 1);
    for (let seq = 5; seq <= 14; seq++) await keep(devEUI, { slot: seq % 10, seq, ms: start + seq });
    await keep(devEUI, { slot: -4, seq: 12, ms: start + 100, count: 7 });
    await keep(other, { slot: 1, seq: 1, ms: start + 9 });
    await query.updateTable('device').set({ event_seq: 14 }).where('dev_eui', '=', devEUI).execute();
    await query.updateTable('device').set({ event_seq: 1 }).where('dev_eui', '=', other).execute();

    for (const column of ['last_event', 'previous_event', 'log_from'])
      await query.schema.alterTable('device').dropColumn(column).execute();
    for (const step of [event, eventChain]) await database.transaction(() => step(database.query as never, kind));

    const stored = await readHistory(database, devEUI, 10);
    assert.deepEqual(
      stored.map(({ type, streamID }) => [type, streamID]),
      [5, 6, 7, 8, 9, 10, 11, 12, 'error', 13, 14].map((seq) =>
        seq === 'error' ? ['error', `${start + 100}-12`] : ['up', `${start + Number(seq)}-${seq}`],
      ),
    );
    assert.deepEqual(stored[0], {
      type: 'up',
      payloadJSON: JSON.stringify({ publishedAt: new Date(start + 5).toISOString(), fCnt: 5 }),
      publishedAt: new Date(start + 5).toISOString(),
      streamID: `${start + 5}-5`,
    });
    assert.match(stored[8]!.payloadJSON, /wrong code \(7 times\)/);
    assert.equal((await readHistory(database, other, 10)).length, 1);
    const log = await createEventLog({
      ...app.parts,
      steadyTime: createSteadyTime(app.parts),
      metrics: createMetrics(),
    });
    const all = await log.reader(undefined, await log.positionAt(new Date(0))).next(100);
    const times = all.map(({ at }) => at.getTime());
    assert.deepEqual([times.length, times], [11, times.toSorted((a, b) => a - b)]);
    assert.equal(String(all[0]!.applicationID), surroundings.applicationID);
  });
}
