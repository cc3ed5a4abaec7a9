/** `npm run import-v3`: moves an installation of ChirpStack version 3 into a new Hilltop. */
import { writeFile } from 'node:fs/promises';
import { readConfig } from './config.ts';
import { commandHelp, readCommand } from './import-v3/command.ts';
import { dryRun, importAll } from './import-v3/import.ts';
import { exitCodeOf, textOf } from './import-v3/report.ts';
import { createLog } from './log.ts';
import { StartError } from './start-error.ts';
import { openStorage } from './storage.ts';

const surroundings = { now: () => new Date(), say: (line: string) => console.error(`${line} ...`) };

try {
  const command = readCommand(process.argv.slice(2));
  if (!command) {
    console.log(commandHelp);
    process.exit(0);
  }
  const report = command.isDryRun ? await dryRun(command, surroundings) : await move(command);
  await writeFile(command.report, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
  console.log(`${textOf(report)}\n\nThe same as JSON: ${command.report}`);
  process.exitCode = exitCodeOf(report);
} catch (error) {
  const isKnown = error instanceof StartError;
  console.error(isKnown ? error.message : stopped(error as Error));
  process.exitCode = 3;
}

/** A server went away in the middle, most likely. The stack is for whoever has to find out otherwise. */
function stopped({ message, stack }: Error): string {
  return `The import stopped: ${message}. What was written stays: run the same command again when that is mended.\n\n${stack}`;
}

async function move(command: NonNullable<ReturnType<typeof readCommand>>) {
  const config = readConfig({ args: [], environment: process.env });
  const storage = await openStorage(config, createLog({ logLevel: 'warn' }));
  try {
    return await importAll(command, { ...storage, config }, surroundings);
  } finally {
    await storage.close();
  }
}
