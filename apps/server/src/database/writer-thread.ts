/** Writes batches of prepared statements to SQLite, and reports the watched rows that they changed. */
import { parentPort, workerData } from 'node:worker_threads';
import { lockWaitMs } from './lock-wait.ts';
import { writePreparedBatch } from './prepared-batch.ts';
import { openWriter } from './sqlite-connection.ts';
import { preparedStatements } from './sqlite-statements.ts';
import type { WriterMessage, WriterReply } from './sqlite-writer.ts';
import type { PreparedStatement } from './unit.ts';

const port = parentPort!;
const { path, mostLogPages } = workerData as { path: string; mostLogPages: number };
const db = openWriter(path);
// The main thread waits for a lock of another process, and needs the answer for that.
db.exec(`pragma busy_timeout = ${lockWaitMs}; pragma temp_store = memory; pragma wal_autocheckpoint = ${mostLogPages}`);
const connection = { db, execute: preparedStatements(db) };
const texts: string[] = [];
let reports: (number | string | null)[] = [];

function* statementsIn(calls: readonly unknown[]): Generator<PreparedStatement> {
  for (let at = 0; at < calls.length; ) {
    const sql = texts[calls[at++] as number]!;
    const mustChange = calls[at++] as number | undefined;
    const count = calls[at++] as number;
    const query = { sql, parameters: calls.slice(at, (at += count)) };
    yield mustChange === undefined ? { query } : { query, mustChange };
  }
}

port.on('message', (message: WriterMessage) => {
  switch (message.kind) {
    case 'write': {
      texts.push(...message.newTexts);
      reports = [];
      const results = writePreparedBatch(connection, statementsIn(message.calls));
      const reply: WriterReply = results && { results, reports };
      return port.postMessage(reply);
    }
    case 'watch': {
      const { number } = message;
      db.function(message.reporter, (key) => {
        reports.push(number, key as string | null);
        return null;
      });
      return db.exec(message.triggers);
    }
    case 'shrink':
      return db.exec('pragma shrink_memory');
    case 'close':
      db.close();
      return port.close();
  }
});
