/**
 * Writes so much into a database at the path of the first argument that its log is copied, by two threads, and closes it
 * while nothing else is under way.
 */
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { createDatabase } from '../database/database.ts';
import { sqlite } from '../database/sqlite.ts';

const path = process.argv[2]!;
const database = createDatabase(sqlite(path, { isThreaded: true }), console.error);
await sql`create table thing (bytes blob)`.execute(database.query);
const query = { sql: 'insert into thing (bytes) values (?)', parameters: [new Uint8Array(8)] };
await database.commit({
  run: () => Promise.reject(new Error('The thread did not write.')),
  prepared: { statements: [{ query }], onWritten: () => undefined },
});
await database.transaction(async () => {
  for (let n = 0; n < 80; n += 1)
    await sql`insert into thing (bytes) values (${randomBytes(64 * 4096)})`.execute(database.query);
});
const watcher = new DatabaseSync(path, { readOnly: true });
const state = watcher.prepare('pragma wal_checkpoint(noop)');
const isCopied = () => {
  const { log, checkpointed } = state.get() as { log: number; checkpointed: number };
  return log === checkpointed;
};
while (!isCopied()) await pause(5);
watcher.close();
await database.close();
process.stdout.write('closed\n');
