/** What a network server needs from the process around it; tests give it their own time and chance. */
export interface Clock {
  now(): Date;
  /** Milliseconds since any fixed point, never going back. */
  monotonicMs(): number;
  /** Runs `work` once after `ms`; the answer cancels. */
  after(ms: number, work: () => void): () => void;
}

/** `length` random bytes, fit for DevAddr, ids and tokens. */
export type Random = (length: number) => Uint8Array;

/** Adds one (or `by`) to a counter. */
export type Count = (name: string, labels?: Record<string, string>, by?: number) => void;

/** pino's shape. */
export interface Log {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}
