import { sql } from 'kysely';
import type { DatabaseKind } from '../database.ts';
import type { Migration } from '../migration.ts';

/** The columns before the text that rows are sorted by, the text, and the key. */
interface Order {
  table: string;
  index: string;
  within?: string;
  text: string;
  key: string;
}

const anew: readonly Order[] = [
  { table: 'organization', index: 'organization_order', text: 'display_name', key: 'id' },
  { table: 'service_profile', index: 'service_profile_order', within: 'organization_id', text: 'name', key: 'id' },
  { table: 'device_profile', index: 'device_profile_order', within: 'organization_id', text: 'name', key: 'id' },
  { table: 'application', index: 'application_order', text: 'name', key: 'id' },
  { table: 'gateway', index: 'gateway_order', text: 'name', key: 'id' },
  { table: 'device', index: 'device_order', text: 'name', key: 'dev_eui' },
];

/** Before this step, indexes of unique names were used instead; they distinguish upper and lower case. */
const added: readonly Order[] = [
  { table: 'user', index: 'user_order', text: 'email', key: 'id' },
  { table: 'application', index: 'application_own_order', within: 'organization_id', text: 'name', key: 'id' },
  { table: 'gateway', index: 'gateway_own_order', within: 'organization_id', text: 'name', key: 'id' },
  { table: 'device', index: 'device_own_order', within: 'application_id', text: 'name', key: 'dev_eui' },
];

/** Indexes for the default order of lists, whatever the case of letters and the locale of the database. */
export const up: Migration = async (db, kind) => {
  for (const { index } of anew) await db.schema.dropIndex(index).execute();
  for (const { table, index, within, text, key } of [...anew, ...added]) {
    const columns = [...(within === undefined ? [] : [sql.ref(within)]), comparable(kind, text), sql.ref(key)];
    await sql`create index ${sql.ref(index)} on ${sql.table(table)} (${sql.join(columns)})`.execute(db);
  }
  // Sorting by any other field reads all devices of an application. Without this index SQLite reads them in the order
  // of the file, which takes a third of the time; PostgreSQL does so anyway.
  if (kind === 'sqlite')
    await db.schema.createIndex('device_application').on('device').column('application_id').execute();
};

function comparable(kind: DatabaseKind, column: string) {
  return kind === 'sqlite' ? sql`${sql.ref(column)} collate nocase` : sql`lower(${sql.ref(column)} collate "C")`;
}
