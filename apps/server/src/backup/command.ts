import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { commandLineOf } from '../command-line-of.ts';
import { StartError } from '../start-error.ts';

const common = `  --passphrase-file FILE  the file with the passphrase of a sealed backup, in its first line
  --config FILE           the settings, as for the server`;

export const backupHelp = `Usage: ${commandLineOf('backup', 'FILE [--with-history] [--passphrase-file FILE] [--config FILE]')}

Writes all records of the database of the settings to FILE, while the server runs or not. "${commandLineOf('restore')}" reads it
into an embedded database or PostgreSQL.

  --with-history          also the events, values and statistics of devices
${common}

A sealed backup has encryption.key and token.key as well. Without a passphrase keep copies of both apart from it.`;

export const restoreHelp = `Usage: ${commandLineOf('restore', 'FILE [--replace] [--passphrase-file FILE] [--config FILE]')}

Fills the database of the settings (HILLTOP_DATA, HILLTOP_DATABASE_URL) from a backup. Stop the server before.

  --replace               removes what the database has
${common}`;

interface BackupCommand {
  readonly file: string;
  readonly isSwitchedOn: boolean;
  /** Empty without one. */
  readonly passphrase: string;
  /** The arguments for the settings. */
  readonly configArgs: string[];
}

const leastPassphrase = 8;

/** Undefined when help was asked for. `flag` is the switch of this command. Throws StartError. */
export async function readCommand(
  args: string[],
  flag: 'with-history' | 'replace',
): Promise<BackupCommand | undefined> {
  const { values, positionals } = parsed(args, flag);
  if (values['help']) return undefined;
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new StartError('Name one FILE. Run with --help for the options.');
  const { config, 'passphrase-file': passphraseFile } = values as Record<string, string | undefined>;
  return {
    file,
    isSwitchedOn: values[flag] === true,
    passphrase: passphraseFile === undefined ? '' : await readPassphrase(passphraseFile),
    configArgs: config === undefined ? [] : ['--config', config],
  };
}

function parsed(args: string[], flag: string) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean' },
        [flag]: { type: 'boolean' },
        'passphrase-file': { type: 'string' },
        config: { type: 'string' },
      },
    });
  } catch (error) {
    throw new StartError(`${(error as Error).message.split('. ')[0]}. Run with --help for the options.`);
  }
}

async function readPassphrase(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new StartError(`--passphrase-file ${file} cannot be read: ${(error as Error).message}.`);
  }
  const [passphrase = ''] = text.split(/\r?\n/);
  if (passphrase.length < leastPassphrase)
    throw new StartError(`The passphrase in ${file} must have at least ${leastPassphrase} characters.`);
  return passphrase;
}
