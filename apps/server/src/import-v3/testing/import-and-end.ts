/**
 * A process that imports and ends itself like `kill -9` inside the transaction number END_AT, after its rows are
 * written and before the commit. Exit code 0: the import finished before that.
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
const context = { now: () => new Date(now), print: () => undefined, showOnce: () => undefined };
const { findings } = await importAll(choice, { ...storage, config }, context);
await storage.close();
process.exitCode = findings.some(({ kind }) => kind === 'stops') ? 3 : 0;
