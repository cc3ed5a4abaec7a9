/** `npm run backup`: writes the database to a file while the server runs, which has priority. */
import { setPriority } from 'node:os';
import { backUp } from './backup/back-up.ts';
import { backupHelp, readCommand } from './backup/command.ts';
import { readConfig } from './config.ts';
import { StartError } from './start-error.ts';

setPriority(19);
try {
  const command = await readCommand(process.argv.slice(2), 'with-history');
  if (!command) process.stdout.write(`${backupHelp}\n`);
  else {
    const config = readConfig({ args: command.configArgs, environment: process.env });
    const { bytes, rows } = await backUp(config, { ...command, withHistory: command.isSwitchedOn });
    process.stdout.write(`${command.file}: ${rows} rows in ${(bytes / 1e6).toFixed(1)} MB.\n`);
  }
} catch (error) {
  console.error(error instanceof StartError ? error.message : `The backup failed: ${(error as Error).message}`);
  process.exitCode = 1;
}
