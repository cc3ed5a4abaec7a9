/** Copies SQLite's log into the database file on request, and answers what prevented it. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const port = parentPort!;
const database = new DatabaseSync(workerData as string, { timeout: 0 });
const copy = database.prepare('pragma wal_checkpoint(passive)');

port.on('message', (asked: 'copy' | 'close') => {
  if (asked === 'close') {
    database.close();
    return port.close();
  }
  let failure: unknown;
  try {
    copy.get();
  } catch (error) {
    failure = error;
  }
  port.postMessage(failure);
});
