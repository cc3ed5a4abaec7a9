import { flushCompileCache } from 'node:module';
import type { Server } from './compose.ts';
import type { Config } from './config.ts';
import { greeting } from './greeting.ts';
import { limitGarbage, releaseMemory } from './release-memory.ts';

/** Runs a started server until a signal: prints the greeting, and stops on the signal. */
export function runUntilStopped(config: Config, server: Server): void {
  // Before the greeting, so that a signal after it is handled.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(server));
  console.log(greeting(config, server));
  flushCompileCache();
  limitGarbage();
  releaseMemory(() => server.needs.database.releasePageCache());
}

/** Stops within 5 s. Work that is still under way by then is given up, and the exit status reports that. */
async function stop({ leave, stop: end }: Server): Promise<void> {
  // The timer also holds the event loop: a part that stops may wait for what does not.
  setTimeout(() => {
    console.error('Stopping: some work under way could not be finished in time.');
    process.exit(1);
  }, 4_500);
  await leave()
    .then(end)
    .catch((error: unknown) => console.error(`Stopping: ${(error as Error).message}`));
  process.exit(0);
}
