/**
 * A process of its own that imports, and is ended as by `kill -9` in the middle of the transaction that END_AT counts to,
 * when its rows are written and not yet committed. Exit code 0: it came to the end before that.
 */
import { settings } from '../../config.ts';
import { createLog } from '../../log.ts';
import { openStorage } from '../../storage.ts';
import { importAll } from '../import.ts';

const [data, databaseURL, choice, endAt, now] = JSON.parse(process.argv[2]!) as [
  data: string,
  databaseURL: string | undefined,
  choice: Parameters<typeof importAll>[0],
  endAt: number,
  now: number,
];
const config = settings.parse({ data, databaseURL: databaseURL ?? undefined, logLevel: 'silent' });
const storage = await openStorage(config, createLog(config));
let left = endAt;
const { transaction } = storage.database;
storage.database.transaction = (work) =>
  transaction(async () => {
    const answer = await work();
    if (--left === 0) process.kill(process.pid, 'SIGKILL');
    return answer;
  });
const surroundings = { now: () => new Date(now), print: () => undefined, showOnce: () => undefined };
const { findings } = await importAll(choice, { ...storage, config }, surroundings);
await storage.close();
process.exitCode = findings.some(({ kind }) => kind === 'stops') ? 3 : 0;
