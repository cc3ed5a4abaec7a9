import { flushCompileCache } from 'node:module';
import type { Server } from './compose.ts';
import type { Config } from './config.ts';
import { giveBackMemory } from './give-back-memory.ts';
import { greeting } from './greeting.ts';

/** What a process does once its server has started: it says so, and ends by a signal. */
export function runUntilStopped(config: Config, server: Server): void {
  // Before anybody can read that it runs: who ends it then is answered.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(server));
  console.log(greeting(config, server));
  flushCompileCache();
  giveBackMemory(() => server.needs.database.forgetPages());
}

/** Within 5 s: what is still under way by then is given up, and the process says so by its status. */
async function stop({ leave, stop: end }: Server): Promise<void> {
  setTimeout(() => {
    console.error('Stopping: not everything that was under way could be finished in time.');
    process.exit(1);
  }, 4_500).unref();
  await leave()
    .then(end)
    .catch((error: unknown) => console.error(`Stopping: ${(error as Error).message}`));
  process.exit(0);
}
