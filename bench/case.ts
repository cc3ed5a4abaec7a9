/** Input and output of a benchmark case. */
import type { BenchOptions } from './options.ts';

type Given = Pick<
  BenchOptions,
  'quick' | 'rates' | 'seconds' | 'minutes' | 'before' | 'compared' | 'broker' | 'processes'
>;

export interface Bench extends Given {
  /** The database of the servers; SQLite when not given. */
  database?: BenchOptions['database'];
  /** Settings of the server processes of a case. */
  settings: Record<string, string>;
  /** Prints progress. */
  say: (line: string) => void;
}

/** One row of the printed table. */
export interface Row {
  work: string;
  /** The figure of version 3, measured the same way on two cores over loopback. */
  before: string;
  target: string;
  ours: string;
  /** A figure violates a guarantee: the run fails. */
  isBroken?: boolean;
}

export interface Outcome {
  rows: Row[];
  /** All measurements, for the JSON file. */
  measured: unknown;
}

export type Case = (bench: Bench) => Promise<Outcome>;
