import { parseArgs } from 'node:util';
import { StartError } from '../start-error.ts';
import type { CutOverOptions } from './cut-over.ts';

export interface ImportCommand extends CutOverOptions {
  isDryRun: boolean;
  /** The directory of the files for going back. */
  back: string | undefined;
  /** The path of the report. */
  report: string;
}

export const commandHelp = `Usage: npm run import-v3 -- --config FILE [--ns-config FILE ...] [--dry-run | --final [--serve] | --back DIRECTORY]

Moves an installation of ChirpStack version 3 into a new Hilltop (HILLTOP_DATA, HILLTOP_DATABASE_URL). It reads the
databases and Redis that the files name, and never writes there.

  --config FILE           chirpstack-application-server.toml
  --ns-config FILE        chirpstack-network-server.toml, once for each network server that becomes an embedded one;
                          those without stay where they are. What its environment set is named after a comma:
                          as.toml,as.env
  --dry-run               only say what would be carried, and what not and why
  --final                 the change: copies what is left, takes the UDP port as soon as the old gateway bridge lets go
                          of it, keeps what gateways hear, and makes the last pass; Hilltop takes over from there
  --settle SECONDS        between the port and the last pass, to stop the old servers (15)
  --serve                 with --final: goes on as the server, without letting go of the port
  --back DIRECTORY        writes files by which the old servers catch up, to go back after --final; stop Hilltop before
  --downlink-margin N     downlink counters go on so far beyond what is stored (1)
  --report FILE           the report as JSON (import-v3-report.json)

It can be run again as often as wanted before --final: it writes what has changed.
Ends with 0 when all is well, with 2 when there is something to read, and with 3 when nothing can be moved yet.`;

/** Undefined when help was asked for. Throws StartError for arguments that are not understood. */
export function readCommand(args: string[]): ImportCommand | undefined {
  const { help, config, ...given } = parsed(args);
  if (help) return undefined;
  if (config === undefined) throw new StartError('--config FILE is missing. Run with --help to see what is needed.');
  const margin = Number(given['downlink-margin']);
  if (!Number.isInteger(margin) || margin < 0 || margin > 10_000)
    throw new StartError('--downlink-margin must be a whole number from 0 to 10000.');
  if ([given['dry-run'], given.final, given.back !== undefined].filter(Boolean).length > 1)
    throw new StartError('--dry-run, --final and --back do not go together.');
  const settleSeconds = Number(given.settle);
  if (!Number.isInteger(settleSeconds) || settleSeconds < 0 || settleSeconds > 3600)
    throw new StartError('--settle must be a whole number of seconds from 0 to 3600.');
  if (given.serve && !given.final) throw new StartError('--serve goes with --final only.');
  return {
    settleMs: settleSeconds * 1000,
    continuesAsServer: given.serve,
    back: given.back,
    config,
    networkServerConfigs: given['ns-config'],
    downlinkMargin: margin,
    isDryRun: given['dry-run'],
    isFinal: given.final,
    report: given.report,
  };
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        help: { type: 'boolean', default: false },
        config: { type: 'string' },
        'ns-config': { type: 'string', multiple: true, default: [] },
        'dry-run': { type: 'boolean', default: false },
        final: { type: 'boolean', default: false },
        settle: { type: 'string', default: '15' },
        back: { type: 'string' },
        serve: { type: 'boolean', default: false },
        'downlink-margin': { type: 'string', default: '1' },
        report: { type: 'string', default: 'import-v3-report.json' },
      },
    }).values;
  } catch (error) {
    throw new StartError(`${(error as Error).message.split('. ')[0]}. Run with --help to see what is understood.`);
  }
}
