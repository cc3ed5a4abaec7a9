import { startServer } from './compose.ts';
import type { Config } from './config.ts';
import { nativeMemory } from './native-memory.ts';
import { runUntilStopped } from './run-until-stopped.ts';

/** Runs the server until a signal. */
export async function start(config: Config): Promise<void> {
  // Must run before the first password is hashed.
  nativeMemory()?.returnFrom(2 ** 20);
  runUntilStopped(config, await startServer(config));
}
