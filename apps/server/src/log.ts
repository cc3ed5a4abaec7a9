import pino, { type Logger } from 'pino';
import type { Config } from './config.ts';

/** Names of values that must never be read in a log, wherever they turn up. */
const secrets = ['password', 'jwt', 'jwtToken', 'token', 'authorization', 'nwkKey', 'appKey', 'appSKey', 'tlsKey'];

/** One JSON object per line on stdout. */
export function createLog({ logLevel }: Pick<Config, 'logLevel'>): Logger {
  return pino({
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: secrets.flatMap((name) => [name, `*.${name}`]),
  });
}
