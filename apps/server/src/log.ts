import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from './config.ts';

/** Names of values that must never be read in a log, wherever they turn up. */
const secrets = [
  'password',
  'oldPassword',
  'jwt',
  'jwtToken',
  'token',
  'authorization',
  'nwkKey',
  'appKey',
  'appSKey',
  'tlsKey',
];

/** One JSON object per line, on stdout unless told otherwise. */
export function createLog(
  { logLevel }: Pick<Config, 'logLevel'>,
  destination: DestinationStream = pino.destination(1),
): Logger {
  const options = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: secrets.flatMap((name) => [name, `*.${name}`]),
  };
  return pino(options, destination);
}
