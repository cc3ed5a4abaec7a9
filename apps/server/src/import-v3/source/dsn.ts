import type { ConnectionOptions } from 'node:tls';
import { readURL } from './read-url.ts';

/** The address of a database as version 3 writes it: a URL, or words such as `user=… dbname=… host=…`. */
export interface DatabaseAddress {
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  ssl: ConnectionOptions | false;
}

/** Words may be quoted as in `password='it\'s'`. */
const word = /(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(\S*))/g;

/** Throws an Error with a plain sentence for invalid text. It never quotes the text, which contains a password. */
export function readDSN(dsn: string): DatabaseAddress {
  const given = /^postgres(ql)?:\/\//.test(dsn) ? wordsOfURL(dsn) : wordsOf(dsn);
  const port = Number(given.get('port') || 5432);
  if (given.size === 0 || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error('postgresql.dsn is neither a URL nor words such as user=… dbname=… host=…');
  return {
    host: given.get('host') || 'localhost',
    port,
    user: given.get('user'),
    password: given.get('password'),
    database: given.get('dbname'),
    ssl: sslOf(given.get('sslmode') ?? 'require'),
  };
}

/** The default of version 3: TLS without verification of the certificate. */
function sslOf(mode: string): ConnectionOptions | false {
  if (mode === 'disable' || mode === 'allow' || mode === 'prefer') return false;
  return { rejectUnauthorized: mode === 'verify-ca' || mode === 'verify-full' };
}

function wordsOfURL(dsn: string): Map<string, string> {
  const url = readURL(dsn);
  if (!url) return new Map();
  const parts = {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    dbname: decodeURIComponent(url.pathname.slice(1)),
  };
  return new Map([...Object.entries(parts).filter(([, value]) => value !== ''), ...url.searchParams]);
}

function wordsOf(dsn: string): Map<string, string> {
  const found = dsn.matchAll(word);
  return new Map(
    Array.from(found, ([, name = '', quoted, plain = '']) => [name, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain]),
  );
}
