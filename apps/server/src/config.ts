import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { auditSettings } from './audit/settings.ts';
import { backupSettings } from './backup/settings.ts';
import { certificateSettings } from './certificates/settings.ts';
import { commandLineOf } from './command-line-of.ts';
import { deliverySettings } from './delivery/settings.ts';
import { deviceLibrarySettings } from './device-library/settings.ts';
import { environmentName } from './environment-name.ts';
import { eventLogSettings } from './event-log/settings.ts';
import { historySettings } from './history/settings.ts';
import { mapSettings } from './http/map-tiles.ts';
import { brandingSettings, clientSettings, httpSettings } from './http/settings.ts';
import { userSessionSettings } from './identity/settings.ts';
import { integrationSettings } from './integrations/settings.ts';
import { mailInconsistency, mailSettings } from './mail/settings.ts';
import { mqttListenerSettings, mqttSettings } from './mqtt/settings.ts';
import { joinServerSettings } from './network/backend-interfaces/settings.ts';
import { callbackSettings, downlinkQueueSettings, gatewaySettings, radioSettings } from './network/settings.ts';
import { outgoingSettings } from './outgoing/settings.ts';
import { trashSettings } from './resources/trash/settings.ts';
import type { SettingFacts } from './setting-schemas.ts';
import { inconsistency, singleSignOnSettings } from './single-sign-on/settings.ts';
import { StartError } from './start-error.ts';
import { storageSettings } from './storage-settings.ts';

/** The settings of the whole server. Each part declares its own; `--help` lists them in this order. */
const shape = {
  ...httpSettings,
  ...gatewaySettings,
  ...callbackSettings,
  ...joinServerSettings,
  ...mqttListenerSettings,
  ...certificateSettings,
  ...mqttSettings,
  ...integrationSettings,
  ...outgoingSettings,
  ...deviceLibrarySettings,
  ...clientSettings,
  ...userSessionSettings,
  ...storageSettings,
  ...radioSettings,
  ...eventLogSettings,
  ...historySettings,
  ...trashSettings,
  ...backupSettings,
  ...auditSettings,
  ...deliverySettings,
  ...mailSettings,
  ...downlinkQueueSettings,
  adminEmail: z
    .string()
    .min(1, 'must not be empty')
    .default('admin@hilltop.local')
    .meta({ help: 'e-mail address of the first administrator, created only while there is no user' }),
  adminPassword: z
    .string()
    .refine((text) => text === '' || text.length >= 8, 'must have at least 8 characters')
    .default('')
    .meta({ help: 'password of the first administrator; empty: a random one, printed once', secret: true }),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      message: 'must be trace, debug, info, warn, error or silent',
    })
    .default('info')
    .meta({ help: 'lowest level of log lines' }),
  ...brandingSettings,
  ...mapSettings,
  ...singleSignOnSettings,
};

export const settings = z.strictObject(shape).superRefine((config, context) => {
  const found = inconsistency(config) ?? mailInconsistency(config);
  if (config.redisURL !== '' && config.databaseURL === '') {
    const message = 'is for several instances, which need HILLTOP_DATABASE_URL as well';
    context.addIssue({ code: 'custom', path: ['redisURL'], message });
  }
  if (found) context.addIssue({ code: 'custom', path: [found.key], message: found.message });
});

/** The settings after reading: `config.http.port`, `config.region` ... */
export type Config = z.infer<typeof settings>;
type Key = keyof Config;

const keys = Object.keys(settings.shape) as Key[];

const factsOf = (key: Key) => settings.shape[key].meta() as unknown as SettingFacts;

/** The settings that must be the same at all instances on one database, by their environment names. */
export function settingsThatMustMatch(config: Config): Record<string, unknown> {
  const matching = keys.filter((key) => factsOf(key).mustMatch);
  return Object.fromEntries(matching.map((key) => [environmentName(key), config[key]]));
}

const keyOfFormer = new Map(
  keys.flatMap((key): [string, Key][] => {
    const { formerly } = factsOf(key);
    return formerly === undefined ? [] : [[formerly, key]];
  }),
);
const keyOfName = new Map(
  [...keyOfFormer, ...keys.map((key) => [key, key] as const)].map(([name, key]) => [environmentName(name), key]),
);

export interface Invocation {
  args: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings: defaults, overridden by the file (`--config FILE`, or `hilltop.json` if it exists), overridden by
 * the environment. Throws StartError with one line for the first invalid setting.
 */
export function readConfig({ args, environment }: Invocation): Config {
  const file = configFile(args);
  const given: Record<string, { value: unknown; source: string }> = {};
  for (const [name, value] of Object.entries(fromFile(file)))
    given[keyOfFormer.get(name) ?? name] = { value, source: `${name} in ${file ?? 'hilltop.json'}` };
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('HILLTOP_') || name.startsWith('HILLTOP_TEST_') || value === undefined) continue;
    const key = keyOfName.get(name);
    if (!key) throw new StartError(`${name} is not a setting. Run with --help to see them all.`);
    // Its own name takes precedence over a former one.
    if (name !== environmentName(key) && environment[environmentName(key)] !== undefined) continue;
    given[key] = { value, source: name };
  }
  const values = Object.fromEntries(Object.entries(given).map(([key, { value }]) => [key, value]));
  const { data, error } = settings.safeParse(values);
  if (data) return data;
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys')
    throw new StartError(`${given[issue.keys[0]!]!.source} is not a setting. Run with --help to see them all.`);
  const key = String(issue?.path[0]);
  throw new StartError(`${given[key]?.source ?? environmentName(key)} ${issue?.message ?? 'is not valid'}.`);
}

/** The text of `--help`: every setting with its default. */
export function helpText(): string {
  const defaults = settings.parse({});
  const rows = keys.map((key) => {
    const { help, usual } = factsOf(key);
    return `  ${environmentName(key).padEnd(30)} ${(usual ?? shown(defaults[key])).padEnd(20)} ${help}`;
  });
  return [
    `Usage: ${commandLineOf('start', '[--config FILE] [--check | COMMAND] [--help]')}`,
    '',
    '--check reads the whole database, says what is damaged, and ends.',
    '',
    'Settings, by environment or in hilltop.json / --config FILE (there as "adminEmail" for HILLTOP_ADMIN_EMAIL):',
    `  ${'setting'.padEnd(30)} ${'default'.padEnd(20)}`,
    ...rows,
  ].join('\n');
}

function shown(value: Config[Key]): string {
  if (Array.isArray(value)) return value.filter((one) => typeof one === 'string').join(',') || '-';
  if (typeof value !== 'object' || value === null) return String(value ?? '') || '-';
  return 'host' in value ? `${value.host}:${value.port}` : '-';
}

function configFile(args: readonly string[]): string | undefined {
  const [first, file, ...rest] = args;
  if (first === undefined) return undefined;
  if (first === '--config' && file !== undefined && rest.length === 0) return file;
  const unknown = first === '--config' ? (rest[0] ?? '--config without a file') : first;
  throw new StartError(`${unknown} is not understood. Run with --help to see what is.`);
}

function fromFile(file: string | undefined): object {
  const path = file ?? 'hilltop.json';
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (file === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new StartError(`The settings file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Said below.
  }
  throw new StartError(`The settings file ${path} is not a JSON object.`);
}
