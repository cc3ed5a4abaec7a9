import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../database.ts';
import { type Migration, serialKey } from '../migration.ts';

/** One log of all events replaces the ring of each device; the events of the rings are moved into it. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('event')
    .addColumn('pos', ...serialKey(kind))
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('application_id', 'bigint', (c) => c.notNull())
    .addColumn('dev_eui', 'text', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('last_error')
    .addColumn('dev_eui', 'text', (c) => c.notNull().references('device.dev_eui').onDelete('cascade'))
    .addColumn('kind', 'integer', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('count', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('last_error_key', ['dev_eui', 'kind'])
    .execute();
  await db.schema
    .createTable('event_mark')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('pos', 'bigint', (c) => c.notNull())
    .execute();
  await carryOver(db, kind);
  await sql`create index event_application on event (application_id, pos)`.execute(db);
  // Errors have the number of the event before them, so that many errors do not make reading the last events of a
  // device slow.
  await sql`create index event_device on event (dev_eui, seq) where type <> 'error'`.execute(db);
  await sql`create index event_error on event (dev_eui, at) where type = 'error'`.execute(db);
  await db.schema.dropTable('device_event').execute();
};

/** A stream id is `<ms>-<seq>`. */
async function carryOver(db: Kysely<unknown>, kind: DatabaseKind): Promise<void> {
  const ms = kind === 'sqlite' ? sql`cast(kept.stream_id as integer)` : sql`split_part(kept.stream_id, '-', 1)::bigint`;
  await sql`
    insert into event (at, application_id, dev_eui, seq, type, payload)
    select ${ms}, device.application_id, kept.dev_eui, kept.seq, kept.type, kept.payload_json
    from device_event as kept inner join device on device.dev_eui = kept.dev_eui
    where kept.slot >= 0 order by 1, kept.seq`.execute(db);
  await sql`
    insert into last_error (dev_eui, kind, at, seq, payload, count)
    select kept.dev_eui, -1 - kept.slot, ${ms}, kept.seq, kept.payload_json, kept.count
    from device_event as kept where kept.slot < 0`.execute(db);
}
