/**
 * Creates the migrated databases that tests copy: a SQLite file, and a database on PostgreSQL when
 * `HILLTOP_TEST_POSTGRES_URL` names a server. Usage: make-template.ts FILE
 */
import type { DatabaseEngine } from '../database/database.ts';
import { migrate } from '../database/migrations.ts';
import { postgres } from '../database/postgres.ts';
import { sqlite } from '../database/sqlite.ts';
import { databases, onSameServer, onServer, templateName } from './databases.ts';

async function fill(engine: DatabaseEngine): Promise<void> {
  await migrate(engine);
  await engine.kysely.destroy();
}

await fill(sqlite(process.argv[2]!));
if (databases.includes('postgres')) {
  await onServer(`create database ${templateName}`);
  await fill(postgres(onSameServer(templateName)));
}
