/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';

/** The server that `compare` measures. Without addresses, `compare` starts Hilltop. */
export interface ComparedServer {
  /** Address of its API of version 3, and a key of a global admin. */
  api: string | undefined;
  token: string | undefined;
  /** A file with devices that are registered already, instead of the API. */
  fleet: string | undefined;
  /** The frame counter of the first uplink of each device in the file. */
  firstFCnt: number;
  /** Where it receives Semtech UDP. */
  udp: { host: string; port: number } | undefined;
  /** The MQTT broker that it publishes to. */
  mqtt: string | undefined;
  /** Processes whose use is reported, each with its children. */
  processes: { name: string; pid: number }[];
}

export interface BenchOptions {
  names: string[];
  quick: boolean;
  profile: boolean;
  database: 'sqlite' | 'postgres';
  rates: number[] | undefined;
  seconds: number | undefined;
  minutes: number | undefined;
  before: string | undefined;
  cores: number | undefined;
  compared: ComparedServer;
}

/** @throws Error with a sentence for the user */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      database: { type: 'string', default: 'sqlite' },
      rate: { type: 'string' },
      seconds: { type: 'string' },
      minutes: { type: 'string' },
      before: { type: 'string' },
      cores: { type: 'string' },
      api: { type: 'string' },
      token: { type: 'string' },
      fleet: { type: 'string' },
      'first-fcnt': { type: 'string', default: '0' },
      udp: { type: 'string' },
      mqtt: { type: 'string' },
      pid: { type: 'string', multiple: true, default: [] },
    },
  });
  const { database } = values;
  if (database !== 'sqlite' && database !== 'postgres')
    throw new Error(`There is no database ${database}. Choose sqlite or postgres.`);
  const compared: ComparedServer = {
    api: values.api === undefined ? undefined : urlOf('api', values.api, ['http:', 'https:']),
    token: values.token,
    fleet: values.fleet,
    firstFCnt: wholeNumber('first-fcnt', values['first-fcnt'], 0),
    udp: values.udp === undefined ? undefined : hostAndPort(values.udp),
    mqtt: values.mqtt === undefined ? undefined : urlOf('mqtt', values.mqtt, ['mqtt:', 'mqtts:']),
    processes: values.pid.map(processOf),
  };
  const problem = problemOf(compared);
  if (problem) throw new Error(problem);
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
    compared,
  };
}

/** Whether the command line names a server, or `compare` starts one. */
export const isServerNamed = ({ api, fleet, udp, mqtt }: ComparedServer): boolean =>
  [api, fleet, udp, mqtt].some((value) => value !== undefined);

function problemOf(compared: ComparedServer): string | undefined {
  const { api, token, fleet, udp, mqtt } = compared;
  if (!isServerNamed(compared)) return;
  if (api !== undefined && fleet !== undefined)
    return 'Name --api to have devices registered, or --fleet with registered devices, not both.';
  if (api === undefined && fleet === undefined)
    return 'Name --api URL and --token TOKEN (API of version 3), or --fleet FILE with devices that are registered.';
  if (api !== undefined && token === undefined) return '--api needs --token: a key of a global admin of that server.';
  if (udp === undefined) return 'Name --udp HOST:PORT, where the server receives Semtech UDP.';
  if (mqtt === undefined) return 'Name --mqtt URL, the broker that the server publishes its events to.';
  return;
}

function urlOf(name: string, text: string, protocols: readonly string[]): string {
  const url = URL.parse(text);
  // The text is not repeated: it can contain a password.
  if (!url || !protocols.includes(url.protocol))
    throw new Error(`--${name}: write a URL such as ${protocols[0]}//127.0.0.1:${name === 'mqtt' ? 1883 : 8080}.`);
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
