/** `npm run import-v3`: imports an installation of ChirpStack version 3 into a new Hilltop. */
import { readConfig } from './config.ts';
import { writeBack } from './import-v3/back/write-back.ts';
import { commandHelp, type ImportCommand, readCommand } from './import-v3/command.ts';
import { cutOver, reportJournaledUplinks } from './import-v3/cut-over.ts';
import { dryRun, importAll } from './import-v3/import.ts';
import { exitCodeOf, type Report, textOf } from './import-v3/report/report.ts';
import { openReportFile, type ReportFile } from './import-v3/report/report-file.ts';
import { createLog } from './log.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import { StartError } from './start-error.ts';
import { openStorage } from './storage.ts';

const context = {
  now: () => new Date(),
  print: (line: string) => console.error(`${line} ...`),
  showOnce: (email: string, password: string) =>
    console.log(`${email} signs in with the password ${password} (shown only once)\n`),
};

try {
  const command = readCommand(process.argv.slice(2));
  if (!command) {
    console.log(commandHelp);
    process.exit(0);
  }
  await using file = await openReportFile(command.report);
  if (command.isDryRun) await writeReport(file, await dryRun(command, context));
  else await pass(command, file);
} catch (error) {
  const isKnown = error instanceof StartError;
  console.error(isKnown ? error.message : stopped(error as Error));
  // A bound UDP port would keep the process running.
  process.exit(3);
}

/** Most likely a server disconnected during the import. The stack helps to find other causes. */
function stopped({ message, stack }: Error): string {
  return `The import stopped: ${message}. Written rows are kept: correct the problem and run the same command again.\n\n${stack}`;
}

async function writeReport(file: ReportFile, report: Report): Promise<void> {
  await file.write(report);
  console.log(`${textOf(report)}\n\nThe same as JSON: ${file.path}`);
  process.exitCode = exitCodeOf(report);
}

async function pass(command: ImportCommand, file: ReportFile): Promise<void> {
  // No other process may work on the database during the import.
  const config = { ...readConfig({ args: [], environment: process.env }), redisURL: '' };
  const log = createLog({ logLevel: 'warn' });
  const storage = await openStorage(config, log);
  await using parts = new AsyncDisposableStack();
  parts.defer(storage.close);
  const target = { ...storage, config };
  if (command.back !== undefined) {
    await writeReport(file, await writeBack(command, target, command.back));
    return;
  }
  if (!command.isFinal) {
    await writeReport(file, await importAll(command, target, context));
    return;
  }
  const { report, held } = await cutOver(command, target, { ...context, log });
  if (held && command.continuesAsServer) {
    await held.pause();
    reportJournaledUplinks(report, held);
    await writeReport(file, report);
    // The server owns both from here on.
    parts.move();
    // Loaded late: the modules of the server take memory that the import needs.
    const { startServer } = await import('./compose.ts');
    return await runUntilStopped(config, () => startServer(config, {}, { storage, journalOnly: held }));
  }
  await held?.stop();
  if (held) reportJournaledUplinks(report, held);
  await writeReport(file, report);
}
