import type { LogFields } from '@hilltop/network-server';
import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino';

declare module 'pino' {
  namespace pino {
    /** The compiler refuses an error under any name but `err`, because only that one is serialized. */
    interface LogFnFields extends Pick<LogFields, 'err' | 'error'> {}
  }
}

/** Names of values that must never appear in a log, at any level. */
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

const isSecret: ReadonlySet<string> = new Set(secrets);
const instead = '[Redacted]';

/** Lines are written together: a separate write for each takes longer than creating it. */
const together = { minLength: 16_000, periodicFlush: 100 };

/**
 * The time of a line in ISO 8601. Everything except the milliseconds is formatted once a second: it took a fifth of a
 * line.
 */
function isoTime(): () => string {
  let [second, beginning] = [Number.NaN, ''];
  return () => {
    const now = Date.now();
    const ms = now % 1000;
    if (now - ms !== second) {
      second = now - ms;
      beginning = `,"time":"${new Date(second).toISOString().slice(0, 20)}`;
    }
    return `${beginning}${String(ms).padStart(3, '0')}Z"`;
  };
}

/** Lines wait in memory while standard output takes none. */
const mostWaitingBytes = 8 << 20;
let dropped = 0;

/** Lines that did not reach standard output, since the start. */
export const droppedLogLines = (): number => dropped;

/** Standard output may be a file on a full disk, which must not end the process. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, maxLength: mostWaitingBytes, ...together });
  output.on('drop', () => {
    dropped += 1;
  });
  // The lines stay, and the next line tries again.
  output.on('error', () => undefined);
  return output;
}

/** Standard output writes every 100 ms, also when there are no lines. */
const nowhere: DestinationStream = { write() {} };

/** One JSON object per line, on stdout by default. */
export function createLog(
  { logLevel }: { logLevel: LevelWithSilent },
  destination: DestinationStream = logLevel === 'silent' ? nowhere : standardOutput(),
): Logger {
  const options = {
    level: logLevel,
    base: null,
    timestamp: isoTime(),
    formatters: { level: (label: string) => ({ level: label }), log: withoutSecretsBelow },
    serializers: { err: (error: Error) => withoutSecrets(pino.stdSerializers.err(error)) },
    // Paths such as `*.password` would be evaluated for each value of each line: a tenth of all the work of a small
    // call.
    redact: secrets,
  };
  return pino(options, destination);
}

/** Redacts secrets in nested values, which are rare. */
function withoutSecretsBelow(line: object): Record<string, unknown> {
  const record = line as Record<string, unknown>;
  const below = Object.entries(record).filter(([, value]) => isRecord(value));
  if (below.length === 0) return record;
  return { ...record, ...Object.fromEntries(below.map(([name, value]) => [name, withoutSecrets(value as object)])) };
}

/** Errors are written by a serializer. */
const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !(value instanceof Error);

function withoutSecrets(given: object): object {
  const known = Object.keys(given).filter((name) => isSecret.has(name));
  return known.length === 0 ? given : { ...given, ...Object.fromEntries(known.map((name) => [name, instead])) };
}
