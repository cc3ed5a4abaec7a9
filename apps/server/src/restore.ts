/** `npm run restore`: fills the database from a file of `npm run backup`. */
import { readCommand, restoreHelp } from './backup/command.ts';
import { restoreBackup } from './backup/restore.ts';
import { readConfig } from './config.ts';
import { createLog } from './log.ts';
import { StartError } from './start-error.ts';

try {
  const command = await readCommand(process.argv.slice(2), 'replace');
  if (!command) process.stdout.write(`${restoreHelp}\n`);
  else {
    const config = readConfig({ args: command.configArgs, environment: process.env });
    const log = createLog({ logLevel: 'warn' });
    const lines = await restoreBackup(config, { ...command, replace: command.isSwitchedOn }, log);
    process.stdout.write(`${lines.join('\n')}\n`);
  }
} catch (error) {
  console.error(error instanceof StartError ? error.message : `The restore failed: ${(error as Error).message}`);
  process.exitCode = 1;
}
