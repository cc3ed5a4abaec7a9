/** What a network server needs from its process. Tests pass their own clock and random bytes. */
export interface Clock {
  now(): Date;
  /** Milliseconds since any fixed point, never decreasing. */
  monotonicMs(): number;
  /** Runs `work` once after `ms`; the returned function cancels it. */
  after(ms: number, work: () => void): () => void;
}

/** `length` random bytes, suitable for DevAddr, ids and tokens. */
export type Random = (length: number) => Uint8Array;

/** Adds one (or `by`) to a counter. */
export type Count = (name: string, labels?: Record<string, string>, by?: number) => void;

/** Fields of a log line. An error must be in `err`: the serializer writes message and stack of that field only. */
export interface LogFields {
  readonly err?: unknown;
  readonly error?: never;
  readonly [name: string]: unknown;
}

/** A subset of pino's interface. */
export interface Log {
  debug(fields: LogFields, text: string): void;
  info(fields: LogFields, text: string): void;
  warn(fields: LogFields, text: string): void;
  error(fields: LogFields, text: string): void;
}
