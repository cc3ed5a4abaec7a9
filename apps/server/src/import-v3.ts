/** `npm run import-v3`: moves an installation of ChirpStack version 3 into a new Hilltop. */
import { readConfig } from './config.ts';
import { writeBack } from './import-v3/back/write-back.ts';
import { commandHelp, type ImportCommand, readCommand } from './import-v3/command.ts';
import { cutOver, noteHeld } from './import-v3/cut-over.ts';
import { dryRun, importAll } from './import-v3/import.ts';
import { exitCodeOf, type Report, textOf } from './import-v3/report/report.ts';
import { openReportFile, type ReportFile } from './import-v3/report/report-file.ts';
import { createLog } from './log.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import { StartError } from './start-error.ts';
import { openStorage } from './storage.ts';

const surroundings = {
  now: () => new Date(),
  print: (line: string) => console.error(`${line} ...`),
  showOnce: (email: string, password: string) =>
    console.log(`${email} signs in with the password ${password} (shown this once)\n`),
};

try {
  const command = readCommand(process.argv.slice(2));
  if (!command) {
    console.log(commandHelp);
    process.exit(0);
  }
  await using file = await openReportFile(command.report);
  if (command.isDryRun) await tell(file, await dryRun(command, surroundings));
  else await pass(command, file);
} catch (error) {
  const isKnown = error instanceof StartError;
  console.error(isKnown ? error.message : stopped(error as Error));
  // A port that is held would keep the process.
  process.exit(3);
}

/** A server went away in the middle, most likely. The stack is for whoever has to find out otherwise. */
function stopped({ message, stack }: Error): string {
  return `The import stopped: ${message}. What was written stays: run the same command again when that is mended.\n\n${stack}`;
}

async function tell(file: ReportFile, report: Report): Promise<void> {
  await file.write(report);
  console.log(`${textOf(report)}\n\nThe same as JSON: ${file.path}`);
  process.exitCode = exitCodeOf(report);
}

async function pass(command: ImportCommand, file: ReportFile): Promise<void> {
  // Nobody else may work on the database meanwhile.
  const config = { ...readConfig({ args: [], environment: process.env }), redisURL: '' };
  const log = createLog({ logLevel: 'warn' });
  const storage = await openStorage(config, log);
  await using parts = new AsyncDisposableStack();
  parts.defer(storage.close);
  const target = { ...storage, config };
  if (command.back !== undefined) {
    await tell(file, await writeBack(command, target, command.back));
    return;
  }
  if (!command.isFinal) {
    await tell(file, await importAll(command, target, surroundings));
    return;
  }
  const { report, held } = await cutOver(command, target, { ...surroundings, log });
  if (held && command.goesOn) {
    await held.pause();
    noteHeld(report, held);
    await tell(file, report);
    // Both belong to the server from here on.
    parts.move();
    // All of the server takes memory that a move has better uses for.
    const { startServer } = await import('./compose.ts');
    return runUntilStopped(config, await startServer(config, {}, { storage, held }));
  }
  await held?.stop();
  if (held) noteHeld(report, held);
  await tell(file, report);
}
