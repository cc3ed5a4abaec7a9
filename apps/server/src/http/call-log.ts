import type { FastifyBaseLogger } from 'fastify';

type Line = [line: object | string, message?: string];
type Bindings = Parameters<FastifyBaseLogger['child']>[0];

/**
 * A logger for one call, with the request id on each line. It is created for the first line, because few calls log any.
 */
class CallLog {
  readonly #log: FastifyBaseLogger;
  readonly #bindings: Bindings;
  #made: FastifyBaseLogger | undefined;

  constructor(log: FastifyBaseLogger, bindings: Bindings) {
    this.#log = log;
    this.#bindings = bindings;
  }

  get #own(): FastifyBaseLogger {
    this.#made ??= this.#log.child(this.#bindings);
    return this.#made;
  }

  get level(): string {
    return this.#log.level;
  }

  fatal(...line: Line): void {
    this.#own.fatal(...line);
  }

  error(...line: Line): void {
    this.#own.error(...line);
  }

  warn(...line: Line): void {
    this.#own.warn(...line);
  }

  info(...line: Line): void {
    this.#own.info(...line);
  }

  debug(...line: Line): void {
    this.#own.debug(...line);
  }

  trace(...line: Line): void {
    this.#own.trace(...line);
  }

  silent(): void {}

  child(bindings: Bindings): FastifyBaseLogger {
    return this.#own.child(bindings);
  }
}

/** Replaces the logger that Fastify creates for each call, which costs more than the one line of most calls. */
export const callLog = (log: FastifyBaseLogger, bindings: Bindings): FastifyBaseLogger => new CallLog(log, bindings);
