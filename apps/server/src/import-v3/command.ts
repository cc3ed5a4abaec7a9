import { parseArgs } from 'node:util';
import { commandLineOf } from '../command-line-of.ts';
import { StartError } from '../start-error.ts';
import type { CutOverOptions } from './cut-over.ts';

export interface ImportCommand extends CutOverOptions {
  isDryRun: boolean;
  /** The directory of the files for returning to version 3. */
  back: string | undefined;
  /** The path of the report. */
  report: string;
}

export const commandHelp = `Usage: ${commandLineOf('import-v3', '--config FILE [--ns-config FILE ...] [--dry-run | --final [--serve] | --back DIRECTORY]')}

Imports an installation of ChirpStack version 3 into a new Hilltop (HILLTOP_DATA, HILLTOP_DATABASE_URL). It reads the
databases and Redis that the files name, and never writes to them.

  --config FILE           chirpstack-application-server.toml
  --ns-config FILE        chirpstack-network-server.toml, once for each network server that becomes an embedded one;
                          the others stay remote. A file with its environment follows a comma: as.toml,as.env
  --dry-run               only report what would be imported, what not and why
  --final                 the change: copies the remaining changes, binds the UDP port as soon as the old gateway bridge
                          releases it, stores the uplinks of gateways, and makes the last pass; then Hilltop can start
  --settle SECONDS        time between binding the port and the last pass, to stop the old servers (15)
  --serve                 with --final: continues as the server, without releasing the port
  --back DIRECTORY        writes files that bring the old servers up to date, to go back after --final; stop Hilltop
                          before
  --downlink-margin N     imported downlink counters are this much higher than the stored ones (1)
  --report FILE           the report as JSON (import-v3-report.json)

Repeat it as often as needed before --final: it writes only what has changed.
Exit status: 0 all is well, 2 something to read, 3 not ready.`;

/** Undefined when help was asked for. Throws StartError for arguments that are not understood. */
export function readCommand(args: string[]): ImportCommand | undefined {
  const { help, config, ...given } = parsed(args);
  if (help) return undefined;
  if (config === undefined) throw new StartError('--config FILE is missing. Run with --help for the required options.');
  const margin = Number(given['downlink-margin']);
  if (!Number.isInteger(margin) || margin < 0 || margin > 10_000)
    throw new StartError('--downlink-margin must be a whole number from 0 to 10000.');
  if ([given['dry-run'], given.final, given.back !== undefined].filter(Boolean).length > 1)
    throw new StartError('--dry-run, --final and --back exclude each other.');
  const settleSeconds = Number(given.settle);
  if (!Number.isInteger(settleSeconds) || settleSeconds < 0 || settleSeconds > 3600)
    throw new StartError('--settle must be a whole number of seconds from 0 to 3600.');
  if (given.serve && !given.final) throw new StartError('--serve requires --final.');
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
    throw new StartError(`${(error as Error).message.split('. ')[0]}. Run with --help for the options.`);
  }
}
