import { flushCompileCache } from 'node:module';
import type { Server } from './compose.ts';
import type { Config } from './config.ts';
import { giveBackMemory } from './give-back-memory.ts';
import { greeting } from './greeting.ts';

/** What a process does once its server has started: it says so, and ends by a signal. */
export function runUntilStopped(config: Config, server: Server): void {
  // Before anybody can read that it runs: who ends it then is answered.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(server.stop));
  console.log(greeting(config, server));
  flushCompileCache();
  giveBackMemory();
}

/** Within 5 s, whatever is still under way by then. */
async function stop(work: () => Promise<void>): Promise<void> {
  setTimeout(() => process.exit(0), 4_500).unref();
  await work().catch((error: unknown) => console.error(`Stopping: ${(error as Error).message}`));
  process.exit(0);
}
