import { commandHelp, readCommandLine } from './commands/command-line.ts';
import { helpText, readConfig } from './config.ts';
import { reportUnfinishedEnd } from './unfinished-end.ts';

reportUnfinishedEnd();

// Help, commands and refused settings do not load the server.
const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(`${helpText()}\n\n${commandHelp}`);
  process.exit(0);
}

const command = await commandIn(args);
if (command) {
  const { text, secret } = command;
  console.error(text);
  if (secret !== undefined) console.log(secret);
  process.exit(0);
}

try {
  const config = readConfig({ args: args.filter((arg) => arg !== '--check'), environment: process.env });
  if (args.includes('--check')) {
    const { checkDatabase } = await import('./database/check-command.ts');
    const { isSound, text } = await checkDatabase(config);
    console.log(text);
    process.exit(isSound ? 0 : 1);
  }
  const { start } = await import('./start.ts');
  await start(config);
} catch (error) {
  console.error(`Hilltop cannot start. ${(error as Error).message}`);
  process.exit(1);
}

/** Runs the command among the arguments; undefined when there is none. */
async function commandIn(args: string[]) {
  try {
    const line = readCommandLine(args);
    if (!line) return undefined;
    const { runCommand } = await import('./commands/run-command.ts');
    return await runCommand(line, readConfig({ args: line.configArgs, environment: process.env }));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
