/** Input and output of a benchmark case. */
import type { ComparedServer } from './options.ts';

export interface Bench {
  /** Use fewer devices and shorter steps. */
  quick: boolean;
  /** The database of the servers; SQLite when not given. */
  database?: 'sqlite' | 'postgres';
  /** Override the rates in uplinks per second; the soak takes the first. */
  rates?: readonly number[] | undefined;
  /** Override the seconds at each rate, and the minutes of the soak. */
  seconds?: number | undefined;
  minutes?: number | undefined;
  /** Folder of an older checkout with its packages. Cases that support it measure both in turn. */
  before?: string | undefined;
  /** The server that `compare` measures. */
  compared: ComparedServer;
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
