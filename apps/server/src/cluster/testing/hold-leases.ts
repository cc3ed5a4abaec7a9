/** A process that holds every lease it gets until it is killed, and prints a line after the first one. */
import { once } from 'node:events';
import { pino } from 'pino';
import { enterPostgres } from '../postgres.ts';

const [url = '', ...names] = process.argv.slice(2);
const log = pino({ level: 'silent' });
const self = { name: 'holder', version: '1.0.0', startedAt: new Date() };
const { join: enter } = await enterPostgres({ url, self, log, takenOver: () => process.exit(1), beatMs: 50 });
const cluster = await enter({});
for (const name of names)
  cluster.lease(name, async (signal) => {
    process.stdout.write(`${name}\n`);
    await once(signal, 'abort');
  });
setInterval(() => undefined, 1_000);
