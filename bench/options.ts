/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';

/** A server of the user that `compare` measures. */
export interface ComparedServer {
  /** How it gets its devices: by its API of version 3, with a key of a global admin, or registered already. */
  registration: { api: string; token: string } | { fleet: string; firstFCnt: number };
  /** Where it receives Semtech UDP. */
  udp: { host: string; port: number };
  /** The MQTT broker that it publishes to. */
  mqtt: string;
}

export interface BenchOptions {
  /** Cases and kinds of cases. */
  names: string[];
  /** Use fewer devices and shorter steps. */
  quick: boolean;
  /** Write a processor profile of each server process. */
  profile: boolean;
  database: 'sqlite' | 'postgres';
  /** Override the rates in uplinks per second; the soak takes the first. */
  rates: number[] | undefined;
  /** Override the seconds at each rate, and the minutes of the soak. */
  seconds: number | undefined;
  minutes: number | undefined;
  /** Folder of an older checkout with its packages. Cases that support it measure both in turn. */
  before: string | undefined;
  /** Limits the driver and all that it starts to so many cores. */
  cores: number | undefined;
  /** `HILLTOP_THREADS` of the servers. */
  threads: number | undefined;
  /** Undefined: `compare` starts Hilltop. */
  compared: ComparedServer | undefined;
  /** A broker that `compare` lets Hilltop publish to, instead of its own. */
  broker: string | undefined;
  /** Processes whose use `compare` reports, each with its children. */
  processes: { name: string; pid: number }[];
}

const options = {
  quick: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
  database: { type: 'string', default: 'sqlite' },
  rate: { type: 'string' },
  seconds: { type: 'string' },
  minutes: { type: 'string' },
  before: { type: 'string' },
  cores: { type: 'string' },
  threads: { type: 'string' },
  api: { type: 'string' },
  token: { type: 'string' },
  fleet: { type: 'string' },
  'first-fcnt': { type: 'string' },
  udp: { type: 'string' },
  mqtt: { type: 'string' },
  pid: { type: 'string', multiple: true, default: [] as string[] },
} as const;

/** @throws Error with a sentence for the user */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const { database } = values;
  if (database !== 'sqlite' && database !== 'postgres')
    throw new Error(`There is no database ${database}. Choose sqlite or postgres.`);
  const compared = comparedServer(values);
  return {
    names: positionals,
    quick: values.quick,
    profile: values.profile,
    database,
    rates: values.rate?.split(',').map((text) => wholeNumber('rate', text)),
    seconds: values.seconds === undefined ? undefined : wholeNumber('seconds', values.seconds),
    minutes: values.minutes === undefined ? undefined : positive('minutes', values.minutes),
    before: values.before,
    cores: values.cores === undefined ? undefined : wholeNumber('cores', values.cores),
    threads: values.threads === undefined ? undefined : wholeNumber('threads', values.threads),
    compared,
    broker: compared || values.mqtt === undefined ? undefined : urlOf('mqtt', values.mqtt),
    processes: values.pid.map(processOf),
  };
}

type ComparedValues = Partial<Record<'api' | 'token' | 'fleet' | 'first-fcnt' | 'udp' | 'mqtt', string>>;

function comparedServer(values: ComparedValues): ComparedServer | undefined {
  const { api, token, fleet, udp, mqtt } = values;
  if ([api, token, fleet, values['first-fcnt'], udp].every((value) => value === undefined)) return undefined;
  const registration = registrationOf(values);
  if (udp === undefined) throw new Error('Name --udp HOST:PORT, where the server receives Semtech UDP.');
  if (mqtt === undefined) throw new Error('Name --mqtt URL, the broker that the server publishes its events to.');
  return { registration, udp: hostAndPort(udp), mqtt: urlOf('mqtt', mqtt) };
}

function registrationOf({
  api,
  token,
  fleet,
  'first-fcnt': firstFCnt,
}: ComparedValues): ComparedServer['registration'] {
  if (api !== undefined && fleet !== undefined)
    throw new Error('Name --api to have devices registered, or --fleet with registered devices, not both.');
  if (fleet !== undefined) return { fleet, firstFCnt: wholeNumber('first-fcnt', firstFCnt ?? '0', 0) };
  if (api === undefined)
    throw new Error('Name --api URL and --token TOKEN (API of version 3), or --fleet FILE with registered devices.');
  if (firstFCnt !== undefined) throw new Error('--first-fcnt belongs to --fleet: devices made by --api begin at 0.');
  if (token === undefined) throw new Error('--api needs --token: a key of a global admin of that server.');
  return { api: urlOf('api', api), token };
}

const urls = {
  api: { protocols: ['http:', 'https:'], example: 'http://127.0.0.1:8080' },
  mqtt: { protocols: ['mqtt:', 'mqtts:'], example: 'mqtt://127.0.0.1:1883' },
};

function urlOf(name: keyof typeof urls, text: string): string {
  const url = URL.parse(text);
  // The text is not repeated: it can contain a password.
  if (!url || !urls[name].protocols.includes(url.protocol))
    throw new Error(`--${name}: write a URL such as ${urls[name].example}.`);
  return url.href.replace(/\/$/, '');
}

function hostAndPort(text: string): { host: string; port: number } {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) throw new Error(`--udp ${text}: write it as HOST:PORT.`);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

function processOf(text: string): { name: string; pid: number } {
  const [, name, pid] = /^([^=]+)=(\d+)$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`--pid ${text}: write it as NAME=PID, such as --pid postgres=812.`);
  return { name, pid: Number(pid) };
}

function wholeNumber(name: string, text: string, least = 1): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw new Error(`--${name} ${text}: write a whole number from ${least} on.`);
  return Number(text);
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new Error(`--${name} ${text}: write a number above 0.`);
  return value;
}
