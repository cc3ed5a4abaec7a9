import { flushCompileCache } from 'node:module';
import { startServer } from './compose.ts';
import { helpText, readConfig } from './config.ts';
import { checkDatabase } from './database/check-command.ts';
import { giveBackMemory } from './give-back-memory.ts';
import { greeting } from './greeting.ts';

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(helpText());
  process.exit(0);
}

try {
  const config = readConfig({ args: args.filter((arg) => arg !== '--check'), environment: process.env });
  if (args.includes('--check')) {
    const { isSound, text } = await checkDatabase(config);
    console.log(text);
    process.exit(isSound ? 0 : 1);
  }
  const server = await startServer(config);
  // Before anybody can read that it runs: who ends it then is answered.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(server.stop));
  console.log(greeting(config, server));
  flushCompileCache();
  giveBackMemory();
} catch (error) {
  console.error(`Hilltop cannot start. ${(error as Error).message}`);
  process.exit(1);
}

/** Within 5 s, whatever is still under way by then. */
async function stop(work: () => Promise<void>): Promise<void> {
  setTimeout(() => process.exit(0), 4_500).unref();
  await work().catch((error: unknown) => console.error(`Stopping: ${(error as Error).message}`));
  process.exit(0);
}
