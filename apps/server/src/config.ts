import { readFileSync } from 'node:fs';
import { channelGroups, regions as loRaWANRegions } from '@hilltop/lorawan';
import { z } from 'zod';
import { mapSettings } from './http/map-tiles.ts';
import { mqttSettings, template } from './mqtt/settings.ts';
import { joinServerSettings } from './network/backend-interfaces/settings.ts';
import { cidr } from './outgoing/cidr.ts';
import { flag, inconsistency, singleSignOnSettings } from './single-sign-on/settings.ts';
import { StartError } from './start-error.ts';

/** Every setting of the server, declared once: value, default and help. */

function readAddress(text: string, context: z.RefinementCtx) {
  const [, host, port] = /^(?:(\[[0-9a-f:]+\]|[^\s:]+):)?(\d{1,5})$/i.exec(text) ?? [];
  if (port === undefined || Number(port) > 65535) {
    context.addIssue({ code: 'custom', message: 'must be an address with a port, such as 0.0.0.0:8080' });
    return z.NEVER;
  }
  return { host: host?.replace(/[[\]]/g, '') ?? '0.0.0.0', port: Number(port) };
}

const address = z.string().transform(readAddress).describe('host:port');
export type Address = z.infer<typeof address>;

const optionalAddress = z.string().transform((text, context) => (text === '' ? null : readAddress(text, context)));

const ranges = z.string().transform((text, context) => {
  const given = text.split(',').map((range) => range.trim());
  const wanted = given.filter((range) => range !== '');
  if (wanted.every((range) => cidr(range) !== undefined)) return wanted;
  const message = 'must be a comma separated list of addresses and ranges such as 10.0.0.0/8';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const file = (help: string) => z.string().default('').meta({ help });

const knownRegions = loRaWANRegions.map(({ name }) => name);

/** Such as `EU868` or `US915:2`; undefined when there is no such region or sub-band. */
function regionEntry(text: string): { name: string; subBand: number } | undefined {
  const [, name, subBand = '0'] = /^([^:]+)(?::([1-9]\d?))?$/.exec(text.trim().toUpperCase()) ?? [];
  const known = loRaWANRegions.find((region) => region.name === name);
  if (!known || Number(subBand) > channelGroups(known).length) return undefined;
  return { name: known.name, subBand: Number(subBand) };
}

const regions = z.string().transform((text, context) => {
  const entries = text.split(',').map(regionEntry);
  const found = entries.filter((entry) => entry !== undefined);
  if (found.length === entries.length && new Set(found.map((entry) => JSON.stringify(entry))).size === found.length)
    return found;
  context.addIssue({
    code: 'custom',
    message: `must be a comma separated list of different regions out of ${knownRegions.join(', ')}, some with a sub-band such as US915:2`,
  });
  return z.NEVER;
});

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ message }).int(message).min(min, message).max(max, message);
};

const web = (protocols: RegExp, message: string) =>
  z.string().refine((text) => text === '' || (URL.canParse(text) && protocols.test(text)), message);

/** The most that the setting `eventHistory` may be. */
export const mostEventHistory = 10_000;

const unitsOfTime: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Such as `90s`, `24h` or `7d`, as milliseconds. */
const duration = ({ least, most, usual }: Record<'least' | 'most' | 'usual', string>, help: string) => {
  const toMs = (text: string) => {
    const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
    return Number(number) * (unitsOfTime[unit] ?? Number.NaN);
  };
  const read = z.string().transform((text, context) => {
    const ms = toMs(text);
    if (ms >= toMs(least) && ms <= toMs(most)) return ms;
    context.addIssue({ code: 'custom', message: `must be a time from ${least} to ${most}, such as 90s, 24h or 7d` });
    return z.NEVER;
  });
  return read.prefault(usual).meta({ help, usual });
};

/** Such as `500MB` or `4GB`, as bytes. */
const size = z.string().transform((text, context) => {
  const [, number, unit] = /^(\d{1,6})([MG])B$/.exec(text) ?? [];
  const bytes = Number(number) * (unit === 'G' ? 1e9 : 1e6);
  if (bytes >= 1e7) return bytes;
  context.addIssue({ code: 'custom', message: 'must be a size from 10MB, such as 500MB or 4GB' });
  return z.NEVER;
});

const shape = {
  http: address.prefault('0.0.0.0:8080').meta({ help: 'console, REST, gRPC of the API, websockets' }),
  httpTLSCert: file('file of the TLS certificate (PEM) of that; without it browsers and clients connect without TLS'),
  httpTLSKey: file('file of its key (PEM)'),
  udp: address.prefault('0.0.0.0:1700').meta({ help: 'gateways: Semtech UDP packet forwarder' }),
  basicsStation: optionalAddress
    .prefault('0.0.0.0:3001')
    .meta({ help: 'gateways: LoRa Basics Station; empty: none are listened to' }),
  basicsStationCert: file('file of the TLS certificate (PEM) of that; without it stations connect without TLS'),
  basicsStationKey: file('file of its key (PEM)'),
  basicsStationProof: z
    .enum(['optional', 'required'], { message: 'must be optional or required' })
    .default('optional')
    .meta({ help: 'required: stations must have a client certificate for their EUI, or an API key' }),
  grpc: optionalAddress
    .prefault('127.0.0.1:8001')
    .meta({ help: 'gRPC for remote network servers; empty: none are listened to' }),
  grpcPublic: z
    .string()
    .min(1, 'must be an address with a port')
    .default('localhost:8001')
    .meta({ help: 'the address at which remote network servers find that gRPC' }),
  grpcCA: file('file of the CA (PEM) whose client certificates remote network servers must have'),
  grpcCert: file('file of the TLS certificate (PEM) of that gRPC'),
  grpcKey: file('file of its key (PEM)'),
  joinServer: optionalAddress
    .prefault('')
    .meta({ help: 'our join-server for network servers elsewhere; empty: none is listened to' }),
  ...joinServerSettings,
  mqtt: optionalAddress.prefault('0.0.0.0:1883').meta({ help: 'MQTT; empty, and HILLTOP_MQTTS too: MQTT is off' }),
  mqtts: optionalAddress.prefault('0.0.0.0:8883').meta({ help: 'MQTT with TLS; empty: none is listened to' }),
  ...mqttSettings,
  mqttRetainEvents: flag.default(false).meta({ help: 'true: the broker elsewhere keeps the last event of each topic' }),
  integrationMarshaler: z
    .enum(['json_v3', 'json', 'protobuf'], { message: 'must be json_v3, json or protobuf' })
    .default('json_v3')
    .meta({ help: 'how events are written for MQTT and other integrations of the whole installation' }),
  amqpURL: web(/^amqps?:/, 'must be a URL such as amqp://user:password@localhost:5672')
    .default('')
    .meta({ help: 'a broker such as RabbitMQ that gets all events', secret: true }),
  amqpRoutingKey: template(
    ['ApplicationID', 'DevEUI'],
    'application.{{ .ApplicationID }}.device.{{ .DevEUI }}.event.{{ .EventType }}',
    'its routing keys, at the exchange amq.topic',
  ),
  eventsPostgresURL: web(/^postgres(ql)?:/, 'must be a URL such as postgres://user:password@localhost/events')
    .default('')
    .meta({ help: 'a PostgreSQL database that gets all events as rows', secret: true }),
  integrationEventID: flag
    .default(false)
    .meta({ help: 'true: events carry their id, as member eventID and as field 1000 of protobuf' }),
  integrationSecrets: z.enum(['masked', 'returned'], { message: 'must be masked or returned' }).default('masked').meta({
    help: 'whether reading an integration answers its secrets, as the older servers did; Terraform needs returned',
  }),
  outgoingAllow: ranges
    .prefault('')
    .meta({ help: 'private addresses and ranges this server may connect to, comma separated' }),
  outgoingCA: file('file of CAs (PEM) that servers of integrations may have certificates of, beside the known ones'),
  outgoingProxy: web(/^https?:/, 'must be a URL such as http://user:password@proxy.example.org:3128')
    .default('')
    .meta({ help: 'the HTTP proxy through which events go to integrations', secret: true }),
  trustProxy: ranges
    .prefault('')
    .meta({ help: 'addresses and ranges of proxies in front, whose X-Forwarded- headers are believed' }),
  corsAllowOrigin: z
    .string()
    .refine(
      (text) => text === '' || text === '*' || (URL.canParse(text) && new URL(text).origin === text),
      'must be an origin such as https://portal.example.org, or *',
    )
    .default('')
    .meta({ help: 'the other site whose pages may call the API from a browser; *: any' }),
  metricsAllow: ranges
    .prefault('127.0.0.0/8,::1')
    .meta({ help: 'addresses and ranges that may read /metrics, comma separated' }),
  metricsOldNames: flag
    .default(true)
    .meta({ help: 'false: /metrics has no figures under the names that dashboards of older servers read' }),
  rateLimit: wholeNumber(0, 1_000_000)
    .default(0)
    .meta({ help: 'API calls per second for each session and API key; 0: no limit' }),
  sessionIdleMinutes: wholeNumber(0, 525_600)
    .default(0)
    .meta({ help: 'minutes without use after which a session ends; 0: only by its length' }),
  sessionMaxMinutes: wholeNumber(0, 525_600)
    .default(0)
    .meta({ help: 'minutes a session lasts at most, whatever is set for the user; 0: no limit' }),
  data: z
    .string()
    .min(1, 'must name a directory')
    .default('./data')
    .meta({ help: 'directory of the embedded database and the secrets' }),
  databaseURL: web(/^postgres(ql)?:/, 'must be a URL such as postgres://user:password@localhost/hilltop')
    .default('')
    .meta({ help: 'PostgreSQL instead of the embedded database', secret: true }),
  redisURL: web(/^rediss?:/, 'must be a URL such as redis://user:password@localhost:6379')
    .default('')
    .meta({ help: 'Redis or Valkey, by which several instances on one PostgreSQL work together', secret: true }),
  instanceName: z
    .string()
    .max(100, 'must have at most 100 characters')
    .default('')
    .meta({ help: 'what people call this instance', usual: 'name of the host' }),
  encryptionKeyFile: file('file of the key that secrets are sealed with; without it encryption.key in HILLTOP_DATA'),
  tokenKeyFile: file('file of the key that sign-ins are signed with; without it token.key in HILLTOP_DATA'),
  region: regions.prefault('EU868').meta({
    help: 'embedded network servers to begin with, comma separated: regions, with a sub-band as in US915:2',
    usual: 'EU868',
  }),
  netID: z
    .string()
    .regex(/^[0-9a-fA-F]{6}$/, 'must be six hexadecimal digits')
    .transform((text) => text.toLowerCase())
    .prefault('000000')
    .meta({ help: 'network identifier of embedded network servers that have none of their own' }),
  eventHistory: wholeNumber(0, mostEventHistory)
    .default(10)
    .meta({ help: 'events of a device that its event stream begins with' }),
  eventLogKeep: duration(
    { least: '0s', most: '90d', usual: '24h' },
    'how long events stay in the log, for replays to integrations',
  ),
  eventLogMax: size
    .prefault('4GB')
    .meta({ help: 'size of the log in the embedded database; beyond it the oldest events go', usual: '4GB' }),
  deliveryMaxAge: duration(
    { least: '1m', most: '90d', usual: '24h' },
    'how long events wait for an integration that does not take them',
  ),
  deliveryGiveUp: duration(
    { least: '1h', most: '90d', usual: '72h' },
    'how long an integration that takes nothing is tried before it is suspended',
  ),
  deliveriesAtOnce: wholeNumber(8, 4096).default(256).meta({
    help: 'requests of integrations that are under way at once, of which none gets more than a quarter of those free',
  }),
  queueItems: wholeNumber(1, 10_000)
    .default(100)
    .meta({ help: 'downlinks that may wait for one device or multicast-group' }),
  adminEmail: z
    .string()
    .min(1, 'must not be empty')
    .default('admin@hilltop.local')
    .meta({ help: 'first administrator, made only while there is no user' }),
  adminPassword: z
    .string()
    .refine((text) => text === '' || text.length >= 8, 'must have at least 8 characters')
    .default('')
    .meta({ help: 'its password; without it a random one is made and printed once', secret: true }),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      message: 'must be trace, debug, info, warn, error or silent',
    })
    .default('info')
    .meta({ help: 'least level of the log lines on stdout' }),
  brandingRegistration: z.string().default('').meta({ help: 'HTML below the sign-in form' }),
  brandingFooter: z.string().default('').meta({ help: 'HTML at the foot of every page' }),
  ...mapSettings,
  ...singleSignOnSettings,
};

export const settings = z.strictObject(shape).superRefine((config, context) => {
  const found = inconsistency(config);
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

/** `mapTilesURL` -> `HILLTOP_MAP_TILES_URL`, `mqttTLSCert` -> `HILLTOP_MQTT_TLS_CERT`. */
export function environmentName(key: string): string {
  const words = key.replace(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4');
  return `HILLTOP_${words.toUpperCase()}`;
}

const keyOfName = new Map(keys.map((key) => [environmentName(key), key]));

export interface Invocation {
  args: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings: defaults, below the file (`--config FILE`, or `hilltop.json` where there is one), below the
 * environment. Throws StartError with one line for the first thing that is wrong.
 */
export function readConfig({ args, environment }: Invocation): Config {
  const file = configFile(args);
  const given: Record<string, { value: unknown; source: string }> = {};
  for (const [key, value] of Object.entries(fromFile(file)))
    given[key] = { value, source: `${key} in ${file ?? 'hilltop.json'}` };
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('HILLTOP_') || name.startsWith('HILLTOP_TEST_') || value === undefined) continue;
    const key = keyOfName.get(name);
    if (!key) throw new StartError(`${name} is not a setting. Run with --help to see them all.`);
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
    const { help, usual } = settings.shape[key].meta() as { help: string; usual?: string };
    return `  ${environmentName(key).padEnd(30)} ${(usual ?? shown(defaults[key])).padEnd(20)} ${help}`;
  });
  return [
    'Usage: npm start -- [--config FILE] [--check] [--help]',
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
