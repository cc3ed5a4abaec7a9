import { flushCompileCache } from 'node:module';
import type { Server } from './compose.ts';
import type { Config } from './config.ts';
import { greeting } from './greeting.ts';
import { limitGarbage, releaseMemory } from './release-memory.ts';

/**
 * Starts a server and runs it until a signal: prints the greeting, and stops on the signal. A signal during the start stops
 * the server when it has started.
 */
export async function runUntilStopped(config: Config, start: () => Promise<Server>): Promise<void> {
  const starting = Promise.withResolvers<Server>();
  // Before the start, because the server answers before it is complete.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(starting.promise));
  const server = await start();
  starting.resolve(server);
  console.log(greeting(config, server));
  flushCompileCache();
  limitGarbage();
  releaseMemory(() => server.needs.database.releasePageCache());
}

/** Stops within 5 s. Work that is still under way by then is given up, and the exit status reports that. */
async function stop(starting: Promise<Server>): Promise<void> {
  // The timer also holds the event loop: a part that stops may wait for what does not.
  setTimeout(() => {
    console.error('Stopping: some work under way could not be finished in time.');
    process.exit(1);
  }, 4_500);
  const { leave, stop: end } = await starting;
  await leave()
    .then(end)
    .catch((error: unknown) => console.error(`Stopping: ${(error as Error).message}`));
  process.exit(0);
}
