import { parseArgs } from 'node:util';
import { type KeyAccessName, keyAccessLevels } from '@hilltop/contract';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { StartError } from '../start-error.ts';

/** What the operator of a server runs beside it, or while it does not run. */
export const commandHelp = `Commands. They work on the database of the same settings, also while the server runs, and print a secret once:
  --reset-password EMAIL         gives the user a new password and ends its sessions; a second factor stays
  --reset-second-factor EMAIL    turns off the second factor of the user and ends its sessions
  --make-admin EMAIL             makes the user an active global admin, and creates it if it is missing
  --create-api-key NAME          creates an API key with access to everything, or limited by these options:
    --organization ID            to one organization
    --application ID             to one application
    --access LEVEL               FULL (default), READ or READ_AND_SEND
    --expires DAYS               until it is so many days old; default: never`;

const commandNames = ['reset-password', 'reset-second-factor', 'make-admin', 'create-api-key'] as const;
type CommandName = (typeof commandNames)[number];
const keyOptions = ['organization', 'application', 'access', 'expires'] as const;

/** The scope and limits of a new API key; an ID of 0 is none. */
export interface NewKeyOptions {
  readonly organizationID: string;
  readonly applicationID: string;
  readonly access: KeyAccessName;
  /** Undefined: it never expires. */
  readonly days: number | undefined;
}

const mostDays = 3650;

export interface CommandLine {
  readonly name: CommandName;
  /** The e-mail address of a user, or the name of a new API key. */
  readonly value: string;
  readonly key: NewKeyOptions;
  /** The arguments that name a settings file. */
  readonly configArgs: readonly string[];
}

/** What commands work with. */
export interface CommandDependencies {
  readonly database: Database;
  readonly config: Config;
  readonly now: Date;
}

/** The outcome of a command: what happened, and a secret that is shown only now. */
export interface CommandResult {
  readonly text: string;
  readonly secret?: string;
}

const isCommand = (arg: string) => commandNames.some((name) => arg === `--${name}` || arg.startsWith(`--${name}=`));

/** Undefined when the arguments start the server. Throws StartError. */
export function readCommandLine(args: string[]): CommandLine | undefined {
  if (!args.some(isCommand)) return undefined;
  const { config, ...given } = parsed(args);
  const [name, ...others] = commandNames.filter((one) => given[one] !== undefined);
  if (name === undefined || others.length > 0) throw new StartError('Give one command at a time.');
  const misplaced = keyOptions.find((option) => given[option] !== undefined);
  if (misplaced !== undefined && name !== 'create-api-key')
    throw new StartError(`--${misplaced} is an option of --create-api-key.`);
  return { name, value: given[name]!, key: keyOf(given), configArgs: config === undefined ? [] : ['--config', config] };
}

type KeyArguments = Partial<Record<(typeof keyOptions)[number], string | undefined>>;

function keyOf({ organization = '0', application = '0', access = 'FULL', expires }: KeyArguments): NewKeyOptions {
  const level = keyAccessLevels.find((one) => one === access.toUpperCase());
  if (!level) throw new StartError(`--access must be one of ${keyAccessLevels.join(', ')}.`);
  const days = expires === undefined ? undefined : Number(expires);
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= mostDays))
    throw new StartError(`--expires must be a whole number of days from 1 to ${mostDays}.`);
  for (const [option, id] of Object.entries({ organization, application }))
    if (!/^\d{1,18}$/.test(id)) throw new StartError(`--${option} must be the ID of the ${option}.`);
  if (organization !== '0' && application !== '0')
    throw new StartError('Give --organization or --application: a key has one scope.');
  return { organizationID: organization, applicationID: application, access: level, days };
}

function parsed(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args,
      options: {
        config: text,
        'reset-password': text,
        'reset-second-factor': text,
        'make-admin': text,
        'create-api-key': text,
        organization: text,
        application: text,
        access: text,
        expires: text,
      },
    }).values;
  } catch (error) {
    throw new StartError(`${(error as Error).message.split(/[.\n]/)[0]}. Run with --help for the options.`);
  }
}
