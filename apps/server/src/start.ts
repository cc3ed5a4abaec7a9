import { startServer } from './compose.ts';
import type { Config } from './config.ts';
import { nativeMemory } from './native-memory.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import { startFailure } from './start-error.ts';

/** Runs the server until a signal. */
export async function start(config: Config): Promise<void> {
  // Must run before the first password is hashed.
  nativeMemory()?.returnFrom(2 ** 20);
  await runUntilStopped(config, () =>
    startServer(config).catch(async (error: unknown) => {
      throw await startFailure(error, config);
    }),
  );
}
