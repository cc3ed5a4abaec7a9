import { readFile } from 'node:fs/promises';
import { parse, TomlError } from 'smol-toml';
import { UnreadableSource } from './postgres.ts';
import { readURL } from './read-url.ts';
import type { RedisAddress } from './redis.ts';

/** The settings file of a server of version 3, read by paths such as `postgresql.dsn`. */
export interface SettingsFile {
  path: string;
  text: (path: string, usual?: string) => string;
  number: (path: string, usual: number) => number;
  flag: (path: string) => boolean;
  list: (path: string, usual?: readonly unknown[]) => unknown[];
  /** Paths that have a value and that the import has not read so far. The value may be a secret. */
  unread: () => { path: string; value: unknown }[];
}

/** Larger than any real file. */
const maxBytes = 1_000_000;
/** Real files nest five levels of tables and lists. The parser is recursive, so deeper files are refused. */
const maxLevels = 16;

/**
 * Reads a file and the environment of its server, which takes precedence: `ns.toml,ns.env`. The file may be missing.
 * Throws UnreadableSource in a sentence that quotes nothing of them.
 */
export async function readSettingsFile(given: string): Promise<SettingsFile> {
  const [path = '', environmentFile = ''] = given.split(',');
  const environment = environmentOf(environmentFile === '' ? '' : await readText(environmentFile));
  const text = path === '' ? '' : await readText(path);
  return parseSettings(path || environmentFile, text, environment);
}

/** Reads the same from texts. */
export const settingsOfTexts = (name: string, text: string, environment: string): SettingsFile =>
  parseSettings(name, text, environmentOf(environment));

function parseSettings(name: string, text: string, environment: ReadonlyMap<string, string>): SettingsFile {
  try {
    const root = parse(text, { maxDepth: maxLevels });
    if (nestsTooDeep(root)) throw tooDeep(name);
    return settingsOf(name, root, environment);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    if (error.message.includes('excessively nested')) throw tooDeep(name);
    throw new UnreadableSource(`The file ${name} is not TOML: look at line ${error.line}.`);
  }
}

const tooDeep = (name: string) =>
  new UnreadableSource(`The file ${name} nests tables or lists more than ${maxLevels} levels deep.`);

/**
 * Dotted names nest as well, and the parser has no limit for them. Visits one level after the other, so the stack
 * cannot overflow.
 */
function nestsTooDeep(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxLevels) return true;
    level = level.flatMap((one) => (Array.isArray(one) || isTable(one) ? Object.values(one) : []));
  }
  return false;
}

async function readText(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new UnreadableSource(`The file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (text.length > maxBytes) throw new UnreadableSource(`The file ${path} is too large to be a settings file.`);
  return text;
}

/** Lines such as `POSTGRESQL__DSN=…`, as set for containers. */
function environmentOf(text: string): Map<string, string> {
  const lines = text.matchAll(/^\s*(?:export\s+)?([\w.]+)\s*=\s*(.*?)\s*$/gm);
  return new Map(Array.from(lines, ([, name = '', value = '']) => [name.toUpperCase(), unquoted(value)]));
}

const unquoted = (value: string) => /^(['"])(.*)\1$/.exec(value)?.[2] ?? value;

function settingsOf(
  path: string,
  root: Readonly<Record<string, unknown>>,
  environment: ReadonlyMap<string, string>,
): SettingsFile {
  const inFile = (name: string): unknown =>
    name.split('.').reduce<unknown>((value, part) => (isTable(value) ? value[part] : undefined), root);
  /** All values of an environment are text. */
  const set = (name: string) =>
    environment.get(name.toUpperCase().replaceAll('.', '__')) ?? environment.get(name.toUpperCase());
  const asked = new Set<string>();
  const at = (name: string, read: (text: string) => unknown = (text) => text): unknown => {
    asked.add(name);
    const text = set(name);
    return text === undefined ? inFile(name) : read(text);
  };
  const wrong = (name: string, kind: string) => new UnreadableSource(`${name} in ${path} is not ${kind}.`);
  return {
    path,
    text: (name, usual = '') => {
      const value = at(name) ?? usual;
      if (typeof value !== 'string') throw wrong(name, 'a text');
      return value;
    },
    number: (name, usual) => {
      const value = at(name, (text) => (text === '' ? undefined : Number(text))) ?? usual;
      if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(name, 'a number');
      return value;
    },
    flag: (name) => {
      const value = at(name, (text) => flags.get(text.toLowerCase()) ?? text) ?? false;
      if (typeof value !== 'boolean') throw wrong(name, 'true or false');
      return value;
    },
    list: (name, usual = []) => {
      const value = at(name, listOf) ?? usual;
      if (!Array.isArray(value)) throw wrong(name, 'a list');
      return value as unknown[];
    },
    unread: () => {
      const set = new Map(leavesOf(root));
      for (const [name, value] of environment) set.set(name.toLowerCase().replaceAll('__', '.'), value);
      const found = Array.from(set, ([path, value]) => ({ path, value })).filter(({ path }) => !asked.has(path));
      return found.toSorted((one, other) => (one.path < other.path ? -1 : 1));
    },
  };
}

/** Boolean values as Go parses them. */
const flags = new Map([
  ...['1', 't', 'true'].map((text) => [text, true] as const),
  ...['0', 'f', 'false', ''].map((text) => [text, false] as const),
]);

/** `a,b`, or JSON, whose field names may be upper case. */
function listOf(text: string): unknown {
  if (!text.startsWith('[')) return text === '' ? [] : text.split(',').map((one) => one.trim());
  try {
    return JSON.parse(text, (_, member: unknown) =>
      isTable(member)
        ? Object.fromEntries(Object.entries(member).map(([name, value]) => [name.toLowerCase(), value]))
        : member,
    );
  } catch {
    return text;
  }
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** All values of a file by path. An empty section counts as missing. */
function leavesOf(table: Readonly<Record<string, unknown>>, above = ''): [path: string, value: unknown][] {
  return Object.entries(table).flatMap(([name, value]) => {
    if (isTable(value)) return leavesOf(value, `${above}${name}.`);
    const isNothing = value === 0 || value === false || (Array.isArray(value) && value.length === 0);
    return isNothing || value === '' || value === '0s' ? [] : [[above + name, value]];
  });
}

/** `host:port`; either may be missing. */
const server = /^(\[[\da-f:.]*\]|[\w.-]*)(:\d{1,5})?$/i;

/** The address of the Redis of a server: a URL, which takes precedence, or a list of servers. */
export function redisAddressOf(file: SettingsFile): RedisAddress {
  const address = {
    servers: file.list('redis.servers').map(String),
    database: file.number('redis.database', 0),
    password: file.text('redis.password'),
    prefix: file.text('redis.key_prefix'),
    masterName: file.text('redis.master_name'),
    isCluster: file.flag('redis.cluster'),
    isTLS: file.flag('redis.tls_enabled'),
  };
  if (!address.servers.every((one) => server.test(one)))
    throw new UnreadableSource(`redis.servers in ${file.path} has an entry that is not host:port.`);
  const url = file.text('redis.url');
  if (url === '') return { ...address, servers: address.servers.length > 0 ? address.servers : ['localhost:6379'] };
  const given = readURL(url);
  if (!given) throw new UnreadableSource(`redis.url in ${file.path} is not a URL.`);
  return {
    ...address,
    servers: [`${given.hostname}:${given.port || 6379}`],
    database: Number(given.pathname.slice(1) || address.database),
    password: decodeURIComponent(given.password) || address.password,
    isTLS: address.isTLS || given.protocol === 'rediss:',
  };
}

/** The key-encryption keys of a file by label. Invalid ones are left out and passed to `nameBroken`. */
export function keksOf(file: SettingsFile, nameBroken: (label: string) => void): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const entry of file.list('join_server.kek.set')) {
    const { label, kek } = isTable(entry) ? entry : {};
    if (typeof label === 'string' && typeof kek === 'string' && /^([0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64})$/i.test(kek))
      found.set(label, Uint8Array.fromHex(kek));
    else nameBroken(typeof label === 'string' ? label : '');
  }
  return found;
}
